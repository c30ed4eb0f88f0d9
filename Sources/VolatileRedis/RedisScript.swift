/// What is asked of the server in one step, in its own language (Redis, Lua API). The server runs a script as a whole or, if it refuses
/// its first write for lack of memory, not at all. Keys of one vault carry the same tag in braces.
///
/// A value is under `<prefix>:v:<name>`. An alias is under `<prefix>:a:<name>` and holds the key of its value. `<prefix>:ends` has the
/// keys of all aliases with the time at which they end (milliseconds of the server's clock), so that they can be counted. In the same way
/// `<prefix>:further` has `<name>:1`, `<name>:2` … for the places that a value takes beside those of its aliases.
enum RedisScript: String {
    /// KEYS: aliases. ARGV: how many bytes of values may be returned. For each alias the key of its value and, once for each value, the value,
    /// or its size where it has no room; nothing for an alias that is unknown.
    case read = """
        local found, seen, left = {}, {}, tonumber(ARGV[1])
        for i, alias in ipairs(KEYS) do
            local value = redis.call('GET', alias)
            found[i] = {value or nil}
            if value and not seen[value] then
                seen[value] = true
                local size = redis.call('STRLEN', value)
                if size <= left then
                    left = left - size
                    found[i][2] = redis.call('GET', value)
                else
                    found[i][2] = size
                end
            end
        end
        return found
        """

    /// KEYS: the ends, the further places; for each change its value and its aliases. ARGV: the capacity; for each change what is expected,
    /// the replacement, the lifetime, how many aliases are added and removed, how many further places the value takes. Returns 1, the count
    /// of aliases and that of further places; or 0; or -1 and the counts if more places would be taken than may be. A value that takes fewer
    /// further places than before keeps them: the process that counts them in a caller's share does so until the value ends.
    ///
    /// The first write of what adds is one that a full server refuses, and that of what removes is not: after its first write a
    /// script goes on whatever the memory.
    case change = """
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local ends, further = KEYS[1], KEYS[2]
        local function place(value, i) return string.sub(value, -32) .. ':' .. i end
        local more, k = 0, 3
        for a = 2, #ARGV, 6 do
            if (redis.call('GET', KEYS[k]) or '') ~= ARGV[a] then return {0} end
            local added, removed = tonumber(ARGV[a + 3]), tonumber(ARGV[a + 4])
            for i = 1, added do
                if redis.call('EXISTS', KEYS[k + i]) == 1 then return {0} end
            end
            more = more + added
            for i = tonumber(ARGV[a + 5]), 1, -1 do
                if redis.call('ZSCORE', further, place(KEYS[k], i)) then break end
                more = more + 1
            end
            k = k + 1 + added + removed
        end
        local count = redis.call('ZCOUNT', ends, '(' .. now, '+inf')
        local wide = redis.call('ZCOUNT', further, '(' .. now, '+inf')
        if more > 0 and count + wide + more > tonumber(ARGV[1]) then return {-1, count, wide} end
        k = 3
        for a = 2, #ARGV, 6 do
            local value, life = KEYS[k], tonumber(ARGV[a + 2])
            local added, removed = tonumber(ARGV[a + 3]), tonumber(ARGV[a + 4])
            if ARGV[a] ~= '' then
                local left = redis.call('PTTL', value)
                if left > 0 and left < life then life = left end
            end
            for i = added + 1, added + removed do
                redis.call('DEL', KEYS[k + i])
                redis.call('ZREM', ends, KEYS[k + i])
            end
            if ARGV[a + 1] ~= '' then redis.call('SET', value, ARGV[a + 1], 'PX', life) end
            for i = 1, added do
                redis.call('SET', KEYS[k + i], value, 'PX', life)
                redis.call('ZADD', ends, now + life, KEYS[k + i])
            end
            for i = tonumber(ARGV[a + 5]), 1, -1 do
                if redis.call('ZADD', further, 'NX', now + life, place(value, i)) == 0 then break end
            end
            if ARGV[a + 1] == '' then
                redis.call('DEL', value)
                local i = 1
                while redis.call('ZREM', further, place(value, i)) == 1 do i = i + 1 end
            end
            k = k + 1 + added + removed
        end
        for _, key in ipairs({ends, further}) do redis.call('ZREMRANGEBYSCORE', key, '-inf', now) end
        return {1, redis.call('ZCARD', ends), redis.call('ZCARD', further)}
        """

    /// KEYS: the ends. ARGV: cursor. The next cursor, and the keys of the values of the aliases found, each once, with their sizes.
    case page = """
        local scanned = redis.call('ZSCAN', KEYS[1], ARGV[1], 'COUNT', 256)
        local found, seen = {}, {}
        for i = 1, #scanned[2], 2 do
            local value = redis.call('GET', scanned[2][i])
            if value and not seen[value] then
                seen[value] = true
                found[#found + 1] = {value, redis.call('STRLEN', value)}
            end
        end
        return {scanned[1], found}
        """

    /// KEYS: the ends, the further places, and a key for the probe. Writes somewhat more than most values need and takes it back; the counts
    /// of aliases and of further places.
    case probe = """
        local time = redis.call('TIME')
        redis.call('SET', KEYS[3], string.rep('0', 1024), 'PX', 1000)
        redis.call('DEL', KEYS[3])
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        for i = 1, 2 do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now) end
        return {redis.call('ZCARD', KEYS[1]), redis.call('ZCARD', KEYS[2])}
        """

    /// - Parameter values: bytes of values that the reply may hold.
    func command(keys: [String], _ arguments: [[UInt8]] = [], values: Int = 0) -> RedisCommand {
        let texts = ["EVAL", rawValue, "\(keys.count)"] + keys
        return RedisCommand(texts.map { Array($0.utf8) } + arguments, replyKeys: keys.count, values: values)
    }
}
