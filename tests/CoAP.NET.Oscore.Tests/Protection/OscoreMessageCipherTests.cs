using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Tests.Protection;

public sealed class OscoreMessageCipherTests
{
    private static readonly byte[] s_hello = "Hello World!"u8.ToArray();

    private readonly OscoreContext _client = OscoreVector.All[0].Client();
    private readonly OscoreContext _server = OscoreVector.All[0].Server();

    [Theory]
    [MemberData(nameof(OscoreVector.Names), MemberType = typeof(OscoreVector))]
    [Rfc("8613-5.4-1", "8613-5-1", "8613-3.2-1", "8613-3.1-1")]
    public void Requests_are_protected_like_other_implementations_do_and_verified_by_the_server(string name)
    {
        OscoreVector vector = OscoreVector.Find(name);
        OscoreContext client = vector.Client();
        OscoreContext server = vector.Server();
        CoapMessage request = Request();

        CoapMessage sent = OscoreMessageCipher.ProtectRequest(client, request, IdOf(client, vector.Number), kidContext: true);

        Assert.Equal(vector.Option, OptionOf(sent));
        Assert.Equal(vector.Request, Convert.ToHexStringLower(sent.Payload.Span));
        Assert.Equal("localhost", sent.Options.UriHost);
        Assert.Equal(CoapCode.Post, sent.Code);
        Assert.Empty(sent.Options.UriPath);
        Assert.True(OscoreOptionValue.TryRead(Convert.FromHexString(vector.Option), out OscoreOptionValue value));
        Assert.Equal(vector.Number, value.SequenceNumber);
        Assert.Equal(OscoreFault.None, OscoreMessageCipher.UnprotectRequest(server, sent, in value, out CoapMessage? read));
        Assert.Equal(CoapCode.Get, read!.Code);
        Assert.Equal("localhost", read.Options.UriHost);
        Assert.Equal(["tv1"], read.Options.UriPath);
        Assert.Equal((request.Type, request.MessageId, request.Token), (read.Type, read.MessageId, read.Token));
    }

    [Theory]
    [MemberData(nameof(OscoreVector.Names), MemberType = typeof(OscoreVector))]
    [Rfc("8613-8.3-1")]
    public void Responses_are_protected_like_other_implementations_do_with_and_without_a_Partial_IV(string name)
    {
        OscoreVector vector = OscoreVector.Find(name);
        OscoreContext client = vector.Client();
        OscoreContext server = vector.Server();
        OscoreRequestId id = IdOf(client, vector.Number);
        CoapMessage response = new(CoapCode.Content) { Payload = s_hello };

        CoapMessage bare = OscoreMessageCipher.ProtectResponse(server, response, id, null);
        CoapMessage numbered = OscoreMessageCipher.ProtectResponse(server, response, id, 0);

        Assert.Equal(("", vector.Response), (OptionOf(bare), Convert.ToHexStringLower(bare.Payload.Span)));
        Assert.Equal(("0100", vector.ResponseWithNumber), (OptionOf(numbered), Convert.ToHexStringLower(numbered.Payload.Span)));
        foreach (CoapMessage message in (CoapMessage[])[bare, numbered])
        {
            Assert.Equal(CoapCode.Changed, message.Code);
            Assert.True(OscoreOptionValue.TryRead(Convert.FromHexString(OptionOf(message)), out OscoreOptionValue value));
            Assert.Equal(OscoreFault.None, OscoreMessageCipher.UnprotectResponse(client, message, in value, id, out CoapMessage? read));
            Assert.Equal(CoapCode.Content, read!.Code);
            Assert.Equal(s_hello, read.Payload.ToArray());
        }
    }

    // RFC 8613 appendix C.4 to C.8, whole messages.
    [Theory]
    [InlineData("9e7ca92223786340", "", "01", null, "44015d1f00003974396c6f63616c686f737483747631",
        "44025d1f00003974396c6f63616c686f7374620914ff612f1092f1776f1c1668b3825e")]
    [InlineData("", "00", "01", null, "440171c30000b932396c6f63616c686f737483747631",
        "440271c30000b932396c6f63616c686f737463091400ff4ed339a5a379b0b8bc731fffb0")]
    [InlineData("9e7ca92223786340", "", "01", "37cbf3210017a2d3", "44012f8eef9bbf7a396c6f63616c686f737483747631",
        "44022f8eef9bbf7a396c6f63616c686f73746b19140837cbf3210017a2d3ff72cd7273fd331ac45cffbe55c3")]
    [Rfc("8613-3.2-1")]
    public void Protected_requests_are_those_of_RFC_8613_appendix_C(
        string salt, string sender, string recipient, string? idContext, string plain, string sent)
    {
        OscoreContext client = Context(salt, sender, recipient, idContext);

        CoapMessage message = OscoreMessageCipher.ProtectRequest(client, Read(plain), IdOf(client, 20), kidContext: true);

        Assert.Equal(sent, Convert.ToHexStringLower(CoapDatagramSerializer.Default.Serialize(message)));
        CoapMessage came = Read(sent);
        Assert.True(OscoreOptionValue.TryRead(Convert.FromHexString(OptionOf(came)), out OscoreOptionValue value));
        Assert.Equal(OscoreFault.None, OscoreMessageCipher.UnprotectRequest(
            Context(salt, recipient, sender, idContext), came, in value, out CoapMessage? read));
        Assert.Equal(plain, Convert.ToHexStringLower(CoapDatagramSerializer.Default.Serialize(read!)));
    }

    [Fact]
    [Rfc("8613-5.4-1")]
    public void A_response_with_a_Partial_IV_is_bound_to_the_kid_and_number_of_its_request()
    {
        // Its nonce is of its own number, so what binds it is the additional data alone.
        CoapMessage response = OscoreMessageCipher.ProtectResponse(
            _server, new CoapMessage(CoapCode.Content) { Payload = s_hello }, new OscoreRequestId([], 20), 0);
        Assert.True(OscoreOptionValue.TryRead(Convert.FromHexString(OptionOf(response)), out OscoreOptionValue value));

        Assert.Equal(OscoreFault.None,
            OscoreMessageCipher.UnprotectResponse(_client, response, in value, new OscoreRequestId([], 20), out _));
        Assert.Equal(
            OscoreFault.Decryption,
                OscoreMessageCipher.UnprotectResponse(_client, response, in value, new OscoreRequestId([7], 20), out _));
        Assert.Equal(
            OscoreFault.Decryption, OscoreMessageCipher.UnprotectResponse(_client, response, in value, new OscoreRequestId([], 21), out _));
    }

    [Theory]
    [InlineData(null, "64445d1f0000397490ffdbaad1e9a7e7b2a813d3c31524378303cdafae119106")]
    [InlineData(0ul, "64445d1f00003974920100ff4d4c13669384b67354b2b6175ff4b8658c666a6cf88e")]
    public void Responses_equal_the_test_vectors_of_the_RFC(ulong? number, string sent)
    {
        OscoreContext server = Context("9e7ca92223786340", "01", "", null);

        CoapMessage message = OscoreMessageCipher.ProtectResponse(
            server, Read("64455d1f00003974ff48656c6c6f20576f726c6421"), new OscoreRequestId([], 20), number);

        Assert.Equal(sent, Convert.ToHexStringLower(CoapDatagramSerializer.Default.Serialize(message)));
        CoapMessage came = Read(sent);
        Assert.True(OscoreOptionValue.TryRead(Convert.FromHexString(OptionOf(came)), out OscoreOptionValue value));
        Assert.Equal(OscoreFault.None, OscoreMessageCipher.UnprotectResponse(
            Context("9e7ca92223786340", "", "01", null), came, in value, new OscoreRequestId([], 20), out CoapMessage? read));
        Assert.Equal(
            "64455d1f00003974ff48656c6c6f20576f726c6421", Convert.ToHexStringLower(CoapDatagramSerializer.Default.Serialize(read!)));
    }

    [Fact]
    public void A_modified_byte_anywhere_is_detected()
    {
        OscoreVector vector = OscoreVector.All[0];
        OscoreContext client = vector.Client();
        OscoreContext server = vector.Server();
        CoapMessage sent = OscoreMessageCipher.ProtectRequest(client, Request(), IdOf(client, 20), kidContext: true);
        byte[] payload = sent.Payload.ToArray();
        Assert.True(OscoreOptionValue.TryRead([0x09, 0x14], out OscoreOptionValue value));
        for (int i = 0; i < payload.Length; i++)
        {
            payload[i] ^= 1;
            sent.Payload = payload;
            Assert.Equal(OscoreFault.Decryption, OscoreMessageCipher.UnprotectRequest(server, sent, in value, out _));
            payload[i] ^= 1;
        }

        Assert.True(OscoreOptionValue.TryRead([0x09, 0x15], out value));
        Assert.Equal(OscoreFault.Decryption, OscoreMessageCipher.UnprotectRequest(server, sent, in value, out _));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(8)]
    [Rfc("8613-6.2-1", "8613-2-2")]
    public void Payloads_that_are_too_short_for_a_tag_and_a_code_are_refused(int length)
    {
        CoapMessage message = new(CoapCode.Post) { Payload = new byte[length] };

        Assert.Equal(
            OscoreFault.Decryption,
                OscoreMessageCipher.UnprotectRequest(_server, message, new OscoreOptionValue { PartialIv = [1] }, out _));
    }

    [Fact]
    [Rfc("8613-4-1", "8613-4.1-1", "8613-4.2-2")]
    public void Each_option_is_inner_or_outer_according_to_its_class_and_unknown_options_are_inner()
    {
        int[] outside = [OptionNumber.UriHost, OptionNumber.UriPort, OptionNumber.HopLimit, OptionNumber.ProxyScheme];
        CoapMessage request = new(CoapCode.Post);
        int[] numbers =
        [
            .. CoapOptionRegistry.Default.Factories.Where(factory => factory.Definition.SignallingCode is null)
                .Select(factory => factory.Number)
                .Where(number => number is not (OptionNumber.Oscore or OptionNumber.Edhoc or OptionNumber.ProxyUri)),
            65_000,
        ];
        foreach (int number in numbers)
        {
            request.Options.Add(number, [1]);
        }

        CoapMessage sent = Protected(request);

        Assert.Equal(
            [.. outside.Append(OptionNumber.Oscore).Append(OptionNumber.Observe).Order()],
            Enumerable.Range(0, sent.Options.Count).Select(sent.Options.NumberAt));

        // What somebody on the way adds is not taken for the _client's.
        sent.Options.Add(OptionNumber.IfMatch, [9]).Add(OptionNumber.UriPath, "evil"u8).Add(OptionNumber.ContentFormat, [9]);
        CoapMessage read = Unprotected(sent);
        Assert.Equal(
            request.Options.Select(option => (option.Number, Convert.ToHexString(option.ToValueArray()))),
            read.Options.Select(option => (option.Number, Convert.ToHexString(option.ToValueArray()))));
    }

    [Fact]
    [Rfc("8613-4.1.3.5-1", "8613-4.1.3.5-2")]
    public void Observe_is_an_inner_and_outer_option_and_the_outer_codes_are_FETCH_and_2_05()
    {
        OscoreRequestId id = IdOf(_client, 0);
        CoapMessage request = new(CoapCode.Get);
        request.Options.Observe = 1;
        CoapMessage notification = new(CoapCode.Content) { Payload = s_hello };
        notification.Options.Observe = 77;

        CoapMessage asked = OscoreMessageCipher.ProtectRequest(_client, request, id, kidContext: false);
        CoapMessage told = OscoreMessageCipher.ProtectResponse(_server, notification, id, 5);

        Assert.Equal((CoapCode.Fetch, 1u), (asked.Code, asked.Options.Observe));
        Assert.Equal((CoapCode.Content, 77u), (told.Code, told.Options.Observe));
        Assert.True(OscoreOptionValue.TryRead([0x01, 0x05], out OscoreOptionValue value));
        Assert.Equal(OscoreFault.None, OscoreMessageCipher.UnprotectResponse(_client, told, in value, id, out CoapMessage? read));
        Assert.Equal(0u, read!.Options.Observe);
    }

    [Fact]
    [Rfc("8613-4.1.3.7-1")]
    public void A_protected_message_inside_a_protected_one_is_refused()
    {
        // A registry that knows no option encrypts all of them.
        CoapMessage request = new(CoapCode.Get, new CoapOptionRegistry([]));
        request.Options.Add(OptionNumber.Oscore, [9, 0]);
        CoapMessage sent = Protected(request);

        Assert.True(OscoreOptionValue.TryRead([0x09, 0x00], out OscoreOptionValue value));
        Assert.Equal(OscoreFault.Malformed, OscoreMessageCipher.UnprotectRequest(_server, sent, in value, out _));
    }

    [Theory]
    [InlineData(OptionProtection.Encrypted, false)]
    [InlineData(OptionProtection.Integrity, true)]
    [InlineData(OptionProtection.Unprotected, true)]
    public void A_custom_option_is_protected_as_defined_and_a_class_I_option_cannot_be_modified(OptionProtection protection, bool isOutside)
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.With(new SealedOptionFactory(protection));
        CoapMessage request = new(CoapCode.Get, registry);
        request.Options.Add(SealedOptionFactory.Number, [1, 2]);

        CoapMessage sent = Protected(request);

        Assert.Equal(isOutside, sent.Options.Contains(SealedOptionFactory.Number));
        if (protection == OptionProtection.Encrypted)
        {
            // Outside it is somebody else's, and means nothing.
            sent.Options.Add(SealedOptionFactory.Number, [9]);
        }

        CoapMessage read = Unprotected(sent);
        Assert.True(read.Options.TryGetValue(SealedOptionFactory.Number, out ReadOnlySpan<byte> came));
        Assert.Equal([1, 2], came.ToArray());
        Assert.Equal(1, read.Options.Count(option => option.Number == SealedOptionFactory.Number));
        if (protection == OptionProtection.Integrity)
        {
            sent.Options.Remove(SealedOptionFactory.Number);
            sent.Options.Add(SealedOptionFactory.Number, [1, 3]);
            Assert.True(OscoreOptionValue.TryRead([0x09, 0x00], out OscoreOptionValue value));
            Assert.Equal(OscoreFault.Decryption, OscoreMessageCipher.UnprotectRequest(_server, sent, in value, out _));
        }
    }

    [Theory]
    [InlineData("coap://h.example/a/b%2Fc?x=1&y", "coap://h.example:5683")]
    [InlineData("coap://[2001:db8::1]:77/a/b%2Fc?x=1&y", "coap://[2001:db8::1]:77")]
    [Rfc("8613-4.1.3.3-1")]
    public void A_proxy_sees_only_scheme_host_and_port_of_a_Proxy_Uri(string uri, string outside)
    {
        CoapMessage request = new(CoapCode.Get);
        request.Options.Add(new ProxyUriOption(uri));

        CoapMessage sent = Protected(request);

        Assert.Equal(outside, sent.Options.ProxyUri);
        Assert.Equal(uri, request.Options.ProxyUri);
        sent.Options.Remove(OptionNumber.ProxyUri);
        CoapMessage read = Unprotected(sent);
        Assert.Equal(["a", "b/c"], read.Options.UriPath);
        Assert.Equal(["x=1", "y"], read.Options.UriQuery);
    }

    [Fact]
    public void Long_tokens_and_large_payloads_are_protected()
    {
        foreach (int token in (int[])[0, 8, 13, 300])
        {
            CoapMessage request = Request();
            request.Token = new CoapToken(new byte[token]);
            request.Payload = new byte[60_000];

            CoapMessage sent = Protected(request);

            CoapMessage read = Unprotected(sent);
            Assert.Equal((request.Token, 60_000), (read.Token, read.Payload.Length));
            Assert.Equal(["tv1"], read.Options.UriPath);
        }
    }

    [Fact]
    [Rfc("9175-2.2.1-3")]
    public void A_server_sees_the_inner_Echo_and_not_the_outer_Echo()
    {
        Assert.True(OscoreOptionValue.TryRead([0x09, 0x00], out OscoreOptionValue value));
        foreach (byte[]? inside in (byte[]?[])[null, [1, 2]])
        {
            CoapMessage request = Request();
            if (inside is not null)
            {
                request.Options.Add(OptionNumber.Echo, inside);
            }

            CoapMessage sent = Protected(request);
            sent.Options.Add(OptionNumber.Echo, [7, 7, 7]);

            Assert.Equal(OscoreFault.None, OscoreMessageCipher.UnprotectRequest(_server, sent, in value, out CoapMessage? read));
            Assert.Equal(inside, read!.Options.TryGetValue(OptionNumber.Echo, out ReadOnlySpan<byte> echo) ? echo.ToArray() : null);
        }
    }

    [Fact]
    public void A_payload_is_copied_once_when_it_is_protected_and_once_when_it_is_verified()
    {
        const int count = 200;
        const int more = 200;
        OscoreRequestId id = IdOf(_client, 0);
        (long small, long smallRead) = Measure(100);
        (long large, long largeRead) = Measure(100 + more);

        Assert.InRange((large - small) / count, more, more + 8);
        Assert.InRange((largeRead - smallRead) / count, more, more + 8);

        (long Protect, long Read) Measure(int payload)
        {
            CoapMessage request = Request();
            request.Payload = new byte[payload];
            CoapMessage sent = OscoreMessageCipher.ProtectRequest(_client, request, id, kidContext: false);
            long protect = Allocations.Least(() =>
            {
                for (int i = 0; i < count; i++)
                {
                    OscoreMessageCipher.ProtectRequest(_client, request, id, kidContext: false);
                }
            });
            long read = Allocations.Least(() =>
            {
                for (int i = 0; i < count; i++)
                {
                    OscoreOptionValue.TryRead([0x09, 0x00], out OscoreOptionValue value);
                    OscoreMessageCipher.UnprotectRequest(_server, sent, in value, out _);
                }
            });
            return (protect, read);
        }
    }

    private CoapMessage Protected(CoapMessage request) =>
        OscoreMessageCipher.ProtectRequest(_client, request, IdOf(_client, 0), kidContext: false);

    private CoapMessage Unprotected(CoapMessage sent)
    {
        Assert.True(OscoreOptionValue.TryRead([0x09, 0x00], out OscoreOptionValue value));
        Assert.Equal(OscoreFault.None, OscoreMessageCipher.UnprotectRequest(_server, sent, in value, out CoapMessage? read));
        return read!;
    }

    private static CoapMessage Request() => Read("44015d1f00003974396c6f63616c686f737483747631");

    private static CoapMessage Read(string hex) => CoapDatagramSerializer.Default.Deserialize(Convert.FromHexString(hex).AsMemory());

    private static OscoreRequestId IdOf(OscoreContext _client, ulong number) => new(_client.Parameters.SenderId.ToArray(), number);

    private static string OptionOf(CoapMessage message) =>
        message.Options.TryGetValue(OptionNumber.Oscore, out ReadOnlySpan<byte> value) ? Convert.ToHexStringLower(value) : "none";

    private static OscoreContext Context(string salt, string sender, string recipient, string? idContext) => OscoreContext.CreateVolatile(
        new OscoreParameters(
            Convert.FromHexString("0102030405060708090a0b0c0d0e0f10"), Convert.FromHexString(sender), Convert.FromHexString(recipient))
        {
            MasterSalt = Convert.FromHexString(salt),
            IdContext = idContext is null ? null : Convert.FromHexString(idContext),
        });

    private sealed class SealedOptionFactory(OptionProtection protection = OptionProtection.Integrity) : IOptionFactory
    {
        public const int Number = 2_051;

        public OptionDefinition Definition { get; } =
            new(Number, "Sealed", OptionFormat.Opaque, 0, 8) { Protection = protection };

        public CoapOption Create(OptionData data) => new UnrecognizedOption(data.Number, data.Value.ToArray());
    }
}
