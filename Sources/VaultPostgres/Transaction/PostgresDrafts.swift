import Vault

/// The carrying out of a batch as drafts: see `PostgresDraft`.
struct PostgresDrafts {
    /// How often the requests are run on what was found. A request that still looks for more is carried out step by step.
    private static let rounds = 4
    /// Look-ups in one exchange, of all requests: their rows are held until the requests have run on them.
    private static let looks = 8_192

    private struct Request {
        let job: Job<PostgresTransaction>
        let draft = PostgresDraft()
        /// Whether what it came to holds.
        var isSettled = false
        /// Whether anything of it is to stay.
        var isDone = false
    }

    let batch: PostgresBatch

    private var transaction: PostgresTransaction { batch.transaction }

    init(batch: PostgresBatch) {
        self.batch = batch
    }

    /// Carries out what can be, and wakes those callers. Returns the jobs that are to be carried out step by step.
    func carryOut(_ jobs: [Job<PostgresTransaction>]) -> [Job<PostgresTransaction>] {
        var (open, left) = (jobs, [Job<PostgresTransaction>]())
        while !open.isEmpty {
            do throws(PostgresFailure) {
                let outcome = try carryOutSome(open)
                if !outcome.done.isEmpty { batch.finish(outcome.done, .done(nil)) }
                left += outcome.left
                open = outcome.later
            } catch {
                transaction.rollback(after: error)
                if error.isConflict { transaction.restFromDrafts() }
                guard error.isUncertain else { return left + open }
                batch.finish(open, .failed(error))
                return left
            }
        }
        return left
    }

    private typealias Jobs = [Job<PostgresTransaction>]

    /// In one transaction. Those that meet others in the same rows, or have no room, come later, in a transaction of their own.
    private func carryOutSome(
        _ jobs: Jobs
    ) throws(PostgresFailure) -> (done: Jobs, left: Jobs, later: Jobs) {
        try transaction.prepareDrafts(writing: batch.isWriting)
        var (requests, later) = try requests(of: jobs)
        var isBegun = false
        for _ in 0..<Self.rounds {
            let looks = requests.flatMap { $0.isSettled || $0.draft.needsServer ? [] : $0.draft.guesses }
            if looks.isEmpty { break }
            var results = try transaction.exchange(looks, beginning: !isBegun, ending: false)[...]
            isBegun = true
            for index in requests.indices where !requests[index].isSettled && !requests[index].draft.needsServer {
                let draft = requests[index].draft
                let own = results.prefix(draft.guesses.count)
                results = results.dropFirst(own.count)
                if draft.learn(own) {
                    requests[index].isSettled = true
                } else {
                    try run(&requests[index])
                }
            }
        }
        var (done, left) = ([Request](), Jobs())
        var rows = PostgresDraft.Rows()
        for request in requests {
            if request.draft.needsServer || !request.draft.guesses.isEmpty {
                left.append(request.job)
            } else if rows.add(request.draft) {
                done.append(request)
            } else {
                later.append(request.job)
            }
        }
        let changes = done.flatMap { $0.isDone ? $0.draft.changes : [] }
        // A connection that was cut meanwhile is found before anything that could be uncertain is sent.
        if !isBegun, !changes.isEmpty { _ = try transaction.exchange([], beginning: true, ending: false) }
        if isBegun || !changes.isEmpty { _ = try transaction.exchange(changes, beginning: false, ending: true) }
        return (done.map(\.job), left, later)
    }

    /// The requests at the front that look up no more than may be held at a time, each run once, and the jobs that are to come later.
    private func requests(of jobs: Jobs) throws(PostgresFailure) -> (requests: [Request], later: Jobs) {
        var (requests, looks) = ([Request](), 0)
        for (index, job) in jobs.enumerated() {
            var request = Request(job: job)
            try run(&request)
            looks += request.draft.guesses.count
            guard looks <= Self.looks || requests.isEmpty else { return (requests, Jobs(jobs[index...])) }
            requests.append(request)
        }
        return (requests, [])
    }

    private func run(_ request: inout Request) throws(PostgresFailure) {
        let job = request.job
        request.isDone = transaction.foresee(request.draft) { job.run($0) }
        if let failure = transaction.failure { throw failure }
    }
}
