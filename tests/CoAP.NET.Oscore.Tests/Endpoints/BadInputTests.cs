using CoAP.NET.Oscore.Contexts;
using CoAP.NET.Oscore.Protection;

namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>Values of the option and ciphertexts as only strangers and broken devices send them, and what each is answered.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class BadInputTests : IAsyncLifetime
{
    private readonly OscoreWorld _world = new();
    private readonly OscoreContext _client = OscoreWorld.ClientContext();
    private ScriptedPeer _stranger = null!;
    private int _served;

    // The option of the request, its payload, and the answer. The server has one context, whose kid is empty.
    public static TheoryData<string, string, string> Outside => new()
    {
        { "", Zeros(16), "4.02" }, // no kid
        { "00", Zeros(16), "4.02" },
        { "01", Zeros(16), "4.02" }, // shorter than it says
        { "0114", Zeros(16), "4.02" }, // no kid
        { "08", Zeros(16), "4.02" }, // no Partial IV
        { "0d14141414", Zeros(16), "4.02" },
        { "0e141414141414", Zeros(16), "4.02" }, // lengths that are reserved
        { "0f14141414141414", Zeros(16), "4.02" },
        { "2914", Zeros(16), "4.02" }, // bits that are reserved: of groups, of extensions, and one that nobody has
        { "4914", Zeros(16), "4.02" },
        { "8914", Zeros(16), "4.02" },
        { "0a0014", Zeros(16), "4.02" }, // a number in more bytes than it needs
        { "1914", Zeros(16), "4.02" }, // a kid context without its length, or shorter than it says
        { "191402aa", Zeros(16), "4.02" },
        { "1914ff", Zeros(16), "4.02" },
        { "011414", Zeros(16), "4.02" }, // something behind
        { "0914", "", "4.02" }, // no ciphertext
        { "0914", Zeros(1), "4.00" }, // shorter than a tag and a code
        { "0914", Zeros(8), "4.00" },
        { "0914", Zeros(9), "4.00" },
        { "0914", Zeros(1000), "4.00" },
        { "0dffffffffff", Zeros(16), "4.00" }, // the last number of all
        { "0914ff", Zeros(16), "4.01" }, // a kid that nobody has
        { "0914ffffffffffffff", Zeros(16), "4.01" }, // and one that is longer than any can be
        { "0914" + new string('f', 2 * 200), Zeros(16), "4.01" },
        { "19140100", Zeros(16), "4.01" }, // an ID Context that nobody has
        { "1914" + "f0" + new string('a', 2 * 240), Zeros(16), "4.01" },
    };

    // What somebody encrypted who has the keys.
    public static TheoryData<string> Inside =>
    [
        "00", // code 0.00
        "45", // a response
        "e1", // a signal
        "01ff", // a marker without a payload
        "01b261", // an option whose value is missing
        "01d0", // an extended delta without its byte
        "01f0", // a delta that is reserved
        "01900161", // an OSCORE option in it
    ];

    public async ValueTask InitializeAsync()
    {
        CoapServer server = _world.Server(OscoreWorld.ServerContext());
        server.MapGet("/", () =>
        {
            Interlocked.Increment(ref _served);
            return CoapResults.Text("served");
        });
        await server.StartAsync();
        _stranger = _world.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8::2]:1000"), InMemoryNetwork.Address("[2001:db8::1]:5683"));
    }

    public async ValueTask DisposeAsync()
    {
        _stranger.Dispose();
        await _world.DisposeAsync();
    }

    [Theory]
    [MemberData(nameof(Outside))]
    [Rfc("8613-8.2-1", "8613-6.1-1", "8613-6.2-1")]
    public async Task A_request_that_is_malformed_unknown_or_does_not_verify_gets_an_unprotected_error(
        string option, string payload, string expected)
    {
        CoapMessage answer = await SendAsync(Convert.FromHexString(option), Convert.FromHexString(payload));

        answer.Code.ToString().Begins(expected);
        Assert.Equal(TimeSpan.Zero, answer.Options.MaxAge);
        Assert.False(answer.Options.Contains(OptionNumber.Oscore));
        Assert.Equal(0, Volatile.Read(ref _served));
    }

    [Theory]
    [MemberData(nameof(Inside))]
    public async Task An_authentic_message_that_is_not_a_request_is_refused(string plaintext)
    {
        CoapMessage answer = await SendAsync([0x09, 0x14], Encrypted(plaintext));

        Assert.Equal(CoapCode.BadOption, answer.Code);
        Assert.Equal(0, Volatile.Read(ref _served));
    }

    [Fact]
    [Rfc("9668-3.3.1-3")]
    public async Task An_EDHOC_option_inside_the_protection_is_an_unknown_critical_option()
    {
        // GET with the option 21.
        CoapMessage answer = await SendAsync([0x09, 0x14], Encrypted("01d008"));

        Assert.True(OscoreOptionValue.TryRead(Convert.FromHexString(OscoreWorld.OptionOf(answer)), out OscoreOptionValue value));
        Assert.Equal(
            OscoreFault.None,
            OscoreMessageCipher.UnprotectResponse(_client, answer, in value, new OscoreRequestId([], 0x14), out CoapMessage? response));
        Assert.Equal(CoapCode.BadOption, response!.Code);
        Assert.Equal(0, Volatile.Read(ref _served));
    }

    private static string Zeros(int bytes) => new('0', 2 * bytes);

    private byte[] Encrypted(string plaintext)
    {
        OscoreKeys keys = _client.Keys;
        byte[] plain = Convert.FromHexString(plaintext);
        byte[] ciphertext = new byte[plain.Length + keys.TagLength];
        byte[] nonce = new byte[13];
        keys.WriteNonce([], [0x14], nonce);

        // RFC 8613 section 5.4: kid empty, Partial IV 14.
        keys.Encrypt(nonce, plain, ciphertext, Convert.FromHexString("8368456e637279707430404885" + "01810a40411440"));
        return ciphertext;
    }

    private async Task<CoapMessage> SendAsync(byte[] option, byte[] payload)
    {
        CoapMessage message = new(CoapCode.Post)
        {
            Type = CoapMessageType.Confirmable,
            MessageId = 7,
            Token = new CoapToken([1, 2, 3]),
            Payload = payload,
        };
        message.Options.Add(OptionNumber.Oscore, option);
        _stranger.Send(CoapDatagramSerializer.Default.Serialize(message));
        CoapMessage? answer = null;
        await _world.Clock.AdvanceUntilAsync(() => (answer ??= Received()) is not null, FromMinutes(1));
        return answer!;
    }

    private CoapMessage? Received() => _stranger.Receive() is { } datagram
        ? CoapDatagramSerializer.Default.Deserialize((ReadOnlyMemory<byte>)datagram.Data.ToArray())
        : null;
}
