SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.cloakroom_alias (
    alias bytea NOT NULL,
    "position" bigint NOT NULL,
    format bigint NOT NULL,
    value bigint NOT NULL,
    tag bytea
);
CREATE SEQUENCE public.cloakroom_alias_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.cloakroom_alias_position_seq OWNED BY public.cloakroom_alias."position";
CREATE TABLE public.cloakroom_anchor (
    id bigint NOT NULL,
    sequence bigint NOT NULL,
    code bytea NOT NULL,
    tag bytea NOT NULL
);
CREATE TABLE public.cloakroom_answer (
    name bytea NOT NULL,
    key bigint NOT NULL,
    sealed bytea NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.cloakroom_key (
    id bigint NOT NULL,
    purpose bigint NOT NULL,
    wrapped bytea NOT NULL,
    pending bytea,
    created_at bigint NOT NULL,
    reserved_uses bigint NOT NULL,
    tag bytea
);
CREATE TABLE public.cloakroom_value (
    id bigint NOT NULL,
    binding bytea,
    fingerprint bytea,
    key bigint NOT NULL,
    sealed bytea NOT NULL,
    classifiers bytea,
    created_at bigint NOT NULL,
    expires_at bigint
);
CREATE SEQUENCE public.cloakroom_value_id
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public.cloakroom_vault (
    version bigint NOT NULL,
    id bytea
);
ALTER TABLE ONLY public.cloakroom_alias ALTER COLUMN "position" SET DEFAULT nextval('public.cloakroom_alias_position_seq'::regclass);
INSERT INTO public.cloakroom_alias VALUES ('\x746f6b5f73616e64626f785f6f506e7547433433486d6d6d366a33446e66385871', 1, 1, 1, '\x229148f16053f6d43ae64654548f6dd5');
INSERT INTO public.cloakroom_alias VALUES ('\x37643131383465392d396365392d346263312d613766332d643833303264643935646237', 2, 2, 1, '\x9b62a333af14ee74a92e859739cbd764');
INSERT INTO public.cloakroom_alias VALUES ('\x34353339363037323135373134313334', 3, 6, 2, '\x0fd08b59ffd185303d5ff7b9a0f49c8f');
INSERT INTO public.cloakroom_alias VALUES ('\x3630332d38372d31313230', 4, 8, 3, '\x85632c1b11a787214a7a846030392d10');
INSERT INTO public.cloakroom_alias VALUES ('\x746f6b5f73616e64626f785f34314e6e6575474648697841384a41784457546e6e64', 5, 1, 4, '\x071850feae30b30a09a4c44203245c9d');
INSERT INTO public.cloakroom_alias VALUES ('\x746f6b5f73616e64626f785f346b75717658706f534c7a42737248716e4352663166', 6, 1, 65, '\x7951a5b5dfe9933c826559cbda080946');
INSERT INTO public.cloakroom_alias VALUES ('\x746f6b5f73616e64626f785f347653525a6531724a544a753235794338765a587353', 7, 1, 66, '\x84d1d8d8bce9c379fc54b137ccc44d1d');
INSERT INTO public.cloakroom_alias VALUES ('\x746f6b5f73616e64626f785f41534d72694755596558715a6a396168694a50367a58', 8, 1, 2, '\x6df7f4e59d0e32f341378b4c65a6fc0b');
INSERT INTO public.cloakroom_answer VALUES ('\x0808080808080808080808080808080808080808080808080808080808080808', 8, '\xcf26a3e3c3ad56c2193a2a95b40b7d51e1bde6e744f311ae2c72be1ea74f199f9b5f1d5bd2c9ffb97f8d14', 8795400700);
INSERT INTO public.cloakroom_key VALUES (1, 2, '\x7b5f9613a54f29834266442f8b28f9e3a19562881e4f9b20930b9e653d0ffee5ee791a5878cf174e7a1c599a57a4a0902b5733503bf2d92a1779307c169845e3747b56f6a65a19b824a02657dbb5a476', NULL, 1795400698, 0, '\x964014056db8caa71a73e9add114780e');
INSERT INTO public.cloakroom_key VALUES (3, 6, '\x5c3b81700041dffaea6a9e7810fce16443f31a8f6f28e293d02cb2e7fc09693020568e609584b2a38ac0bf8734391a96a15d0953d51e527db91d1bf959a8f497e2376baa9906c1f7487b20d8bf3d0544', NULL, 1795400698, 0, '\x835e626a60ac0611c23f718a539c9c77');
INSERT INTO public.cloakroom_key VALUES (4, 3, '\xae517037df8231c23a25bd86b8f555782a3f8e8aecb7e0a177ae9cdf468dc7a5fbd84f4f3ef1d576f903a5c9560eb9c8decb527e8e0206ffdb8467670bac8a75a49bc5506c777fb0c7aac4460838bfe2', NULL, 1795400698, 0, '\x3548dfdcb4d860982fb420c349fa3ecd');
INSERT INTO public.cloakroom_key VALUES (5, 4, '\xe2caced5223b91fe006eaaa04c3e425ee5f78fd065e08c04ab78a523da6813704c48a962283844e986c42384542619deedcaa601d5dca800b502510aa7fe1559d5269138aa6a0e0e8e92f341c9f58a8f', NULL, 1795400698, 0, '\x3008762ebf56cd7d284617c03da59f55');
INSERT INTO public.cloakroom_key VALUES (6, 5, '\x901f23dbc207a4259a5c71aa5aa2e9a0fc479c9f3589299b4873a90d8472b8ad3283ad6920ff50b30b1d4be23f4c60aa97f18e380bc4154daeb4725720e0558f3bcabc2affbe0e2eb21b89ff35dfacde', NULL, 1795400698, 0, '\xc30ba94e7f2899f4ac90aaa6462f9152');
INSERT INTO public.cloakroom_key VALUES (2, 1, '\xc8fd2bad08cd53b1b80cee8cd95e021a44cbcb077a6233ae056901e7125b8d171c2ed36d6978cd12e6e493d0a87c79549233405b2c4d088bc7c9a511a2f2fcc96a202df10bc1b91da2edcc5842f8cfb6', NULL, 1795400698, 65536, '\x0ebbeaa0aa059e72a1dae0392597f332');
INSERT INTO public.cloakroom_key VALUES (7, 2, '\xf996043e09647414961bf56479267c28e68dafb608693b3daff630455b9edee3cafe7512aa37bd18a6b1789801c2fcc74e88f61a5e6cd7f760e4c84efea30b6f120b6fe3d776893a89ca842e3b42faf2', NULL, 1795400700, 0, '\x82616fd64bc7604a7c13a67af15bdf50');
INSERT INTO public.cloakroom_key VALUES (8, 1, '\x5d007bcbf01588293ed5359d512b21b59c328413ab563b3d245313bb319266da4fe7a495fa4257f41e5912d43b7ddec85497016096018f3720bfda73e0f65dda45f8fcf1cd1c8920362b05634a291729', NULL, 1795400700, 65536, '\x500176fada3c3e4cf8fd9057686abefe');
INSERT INTO public.cloakroom_value VALUES (66, '\x19460cb21f17cb932bf6f6af80be26f1', '\x7dcb1a1e4e0019004f12df63bddde6e00f4990c14bb8891beffec32af0fd4a8c', 8, '\x5dc7664f357df1e1098f1ae9623e199bab1c0aa9010d18c14f2c3741147a9a7693f858644364e21912e3b6170d1142', NULL, 1795400700, NULL);
INSERT INTO public.cloakroom_value VALUES (2, '\x4105612c5f7b28733f650e9aeab7130d', '\x0cb318de321cc4ffe2c5593fcbeef960d4aab3f4b647c8472647a66b52c73829', 8, '\x9d0f92a74cea756b8152595502d3d9ff92f43bb93bbd332cd218d11559d6ff10456668803aa743c756ab0c224ac8fe1218c712f35d4d349b', NULL, 1795400699, NULL);
INSERT INTO public.cloakroom_value VALUES (1, '\x2c42d6a21f8b025570e2b2e42865218c', '\x8c1bc0445601ae3d14eb6c9c7d38b86acfa721aafe061cffa5a2026494dace69', 8, '\x96d97948b919849b98a39fc709c9d56b2d5025b47cb165450ee9d4eb5827e1806d6c35f970f204aa4c1fd087ce59b9', '\x000000016100000002c3a9', 1795400699, NULL);
INSERT INTO public.cloakroom_value VALUES (3, '\x31799d3a4969f948c638dc90e2d7cd18', '\x3a4eaffbfe3e06d7780fa8cb5e5a03bcc797bb98cb533d24ba6595a80cf918eb', 8, '\x0bdf7fc9e24fef4d0824524d9aaba911acd7c6ff3f076b6115b1e265b71cb82b8849da030df50ca3cd8a76a2c3907d9dad6e60', NULL, 1795400699, NULL);
INSERT INTO public.cloakroom_value VALUES (4, '\x89515865dbdb4201608bc568b04a1353', '\xa8368b7805ec5efc9c931f6a1170ca12b7ae6a65661447f2cf9db0a9c6afd5b1', 8, '\xe4b81b88ca372a23257926bfa40424998dacfde8fa59ba3e136bbd76c70c131ae61d64231785fd38ecd15c90aea9e6b0', NULL, 1795400699, NULL);
INSERT INTO public.cloakroom_value VALUES (65, '\x56aec52a3ac0a1ec4d36534a7c5c552d', '\x5802a01a45230262e55597f1be2abcef6d95f30b5bb429fcd34480395fbec011', 8, '\xab167f302cc561d46775adbc273050c36328c8bb9b46c236c0bab2e99d8b9d6cfbe227e5ed2e507b56b94547', NULL, 1795400700, 9000000000);
INSERT INTO public.cloakroom_vault VALUES (2, '\x36e04e67af1e08867356591afada4942');
SELECT pg_catalog.setval('public.cloakroom_alias_position_seq', 8, true);
SELECT pg_catalog.setval('public.cloakroom_value_id', 128, true);
ALTER TABLE ONLY public.cloakroom_alias
    ADD CONSTRAINT cloakroom_alias_pkey PRIMARY KEY (alias);
ALTER TABLE ONLY public.cloakroom_anchor
    ADD CONSTRAINT cloakroom_anchor_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cloakroom_answer
    ADD CONSTRAINT cloakroom_answer_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.cloakroom_key
    ADD CONSTRAINT cloakroom_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cloakroom_value
    ADD CONSTRAINT cloakroom_value_fingerprint_key UNIQUE (fingerprint);
ALTER TABLE ONLY public.cloakroom_value
    ADD CONSTRAINT cloakroom_value_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cloakroom_vault
    ADD CONSTRAINT cloakroom_vault_pkey PRIMARY KEY (version);
CREATE INDEX cloakroom_alias_value ON public.cloakroom_alias USING btree (value);
CREATE INDEX cloakroom_answer_expiry ON public.cloakroom_answer USING btree (expires_at);
CREATE INDEX cloakroom_value_expiry ON public.cloakroom_value USING btree (expires_at, id);
ALTER TABLE ONLY public.cloakroom_answer
    ADD CONSTRAINT cloakroom_answer_key_fkey FOREIGN KEY (key) REFERENCES public.cloakroom_key(id);
ALTER TABLE ONLY public.cloakroom_value
    ADD CONSTRAINT cloakroom_value_key_fkey FOREIGN KEY (key) REFERENCES public.cloakroom_key(id);
