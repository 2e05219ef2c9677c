using System.Text.RegularExpressions;

namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>
/// ClientHellos of the shapes that clients in the field send, byte by byte, and the exact answers: the request for a cookie, and the flight
/// of a server with the suite TLS_PSK_WITH_AES_128_CCM_8.
/// </summary>
public sealed class HelloShapeTests
{
    private const string Random = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    private const string Renegotiation = "ff01000100";
    private const string ExtendedMasterSecret = "00170000";

    /// <summary>A name, the first datagram of the client, and the extensions of the ServerHello; null: a fatal alert.</summary>
    public static TheoryData<string, string, string?> Shapes => new()
    {
        // Recorded.
        {
            "node-coap-client 2.1.0: no extensions",
            "16feff0000000000000000004a0100003e000000000000003efefd6b0c0903ca3f3334b901dcf3458e5f978baa01e8271b2a5432ad329035c688f500000016"
                + "008b008c008d00ae00af00a800a9c0a4c0a5c0a8c0a90100", ""
        },
        {
            "OpenSSL 3 s_client: encrypt-then-mac, tickets, signature algorithms",
            "16feff0000000000000000007a0100006e000000000000006efefd1962a91752e8e26336334f0d7f39b3641c2074979e2b3360f5427070defeaf2f00000004"
                + "c0a800ff01000040002300000016000000170000000d0030002e040305030603080708080809080a080b0804080508060401"
                + "05010601030302030103020103020202040205020602", Renegotiation + ExtendedMasterSecret
        },

        // By hand.
        { "no extensions, renegotiation by a suite", Hello("c0a800ff", null), Renegotiation },
        { "an empty block of extensions", Hello("c0a8", ""), "" },
        { "one extension", Hello("c0a8", ExtendedMasterSecret), ExtendedMasterSecret },
        { "one extension that is unknown", Hello("c0a8", "fe0d000401020304"), "" },
        { "padded (RFC 7685)", Hello("c0a8", ExtendedMasterSecret + "0015012c" + new string('0', 600)), ExtendedMasterSecret },
        {
            "DTLS 1.3 with fallback: supported_versions, groups, key_share, psk_key_exchange_modes",
            Hello("13011303c0a8", "002b00050" + "4fefcfefd" + "000a00040002001d" + "00330026" + "0024001d0020" + new string('a', 64)
                + "002d00020101" + "000d00060004" + "04030804"), ""
        },
        {
            "DTLS 1.3 with a session id of 32 bytes for middleboxes",
            Hello("1301c0a8", "002b000504fefcfefd" + ExtendedMasterSecret, sessionId: new string('b', 64)), ExtendedMasterSecret
        },
        {
            "GREASE (RFC 8701) in suites, extensions and groups",
            Hello("0a0ac0a81a1a", "2a2a0000" + "000a000600044a4a0017" + ExtendedMasterSecret + "5a5a000100"), ExtendedMasterSecret
        },
        { "several compressions", Hello("c0a8", null, compressions: "0201" + "00"), "" },
        { "DTLS 1.0 in the record, as RFC 6347 section 4.2.1 suggests", Hello("c0a8", null, recordVersion: "feff"), "" },
        { "DTLS 1.0 only", Hello("c0a8", null, version: "feff"), null },
        { "DTLS 1.2 without compression null", Hello("c0a8", null, compressions: "0101"), null },
    };

    [Theory]
    [MemberData(nameof(Shapes))]
    [Rfc("6347-4.2.1-1")]
    public void Each_listed_ClientHello_gets_a_cookie_request_and_then_exactly_the_expected_flight(
        string shape, string hex, string? extensions)
    {
        byte[] hello = Convert.FromHexString(hex);
        using ServerBench bench = new();
        List<string> sent = [];
        bench.LosesOfServer = bytes =>
        {
            sent.Add(Convert.ToHexStringLower(bytes));
            return true;
        };

        Assert.True(bench.Server.Receive(ServerBench.Path(1), [.. hello]), shape);
        string request = Assert.Single(sent);
        Assert.Matches("^16feff0000000000000000" + "001f" + "030000130000000000000013" + "feff10" + "[0-9a-f]{32}$", request);
        Assert.True(request.Length < hex.Length);
        sent.Clear();

        byte[] second = CookieTests.With(hello, Convert.FromHexString(request[^32..]));
        Assert.True(bench.Server.Receive(ServerBench.Path(1), second), shape);

        Assert.Matches(extensions is null ? "^15fefd0000000000000001" + "0002" + "0246$" : Flight(extensions), Assert.Single(sent));
        Assert.Equal(extensions is null ? 0 : 1, bench.Server.HandshakeCount);
    }

    [Theory]
    [InlineData("802e0100020015000000100100800700c0030080060040020080040080000004fefd00" + Random)]
    [InlineData("16030100310100002d0303" + Random + "000002c0a80100")]
    [InlineData("16fefd000000000000000000")]
    [InlineData("16fefd0000000000000000000c010000000000000000000000")]
    [InlineData("1afefd00000000000000000000")]
    public void A_datagram_without_a_complete_DTLS_ClientHello_gets_no_answer(string hex)
    {
        using ServerBench bench = new();
        Assert.False(bench.Server.Receive(ServerBench.Path(1), Convert.FromHexString(hex)));
        Assert.Equal((0, 0), (bench.SentByServer, bench.Server.HandshakeCount));
    }

    /// <summary>Makes a datagram with a ClientHello.</summary>
    /// <param name="suites">The suites.</param>
    /// <param name="extensions">The extensions; null: no block.</param>
    private static string Hello(string suites, string? extensions, string sessionId = "", string compressions = "0100",
        string version = "fefd", string recordVersion = "fefd")
    {
        string body = version + Random + $"{sessionId.Length / 2:x2}" + sessionId + "00" + $"{suites.Length / 2:x4}" + suites + compressions
            + (extensions is null ? "" : $"{extensions.Length / 2:x4}{extensions}");
        int length = body.Length / 2;
        return $"16{recordVersion}0000000000000000{length + 12:x4}01{length:x6}0000000000{length:x6}{body}";
    }

    // ServerHello and ServerHelloDone in one datagram. Records and messages continue with the numbers of the second ClientHello.
    private static string Flight(string extensions)
    {
        string tail = "00" + "c0a8" + "00" + (extensions.Length == 0 ? "" : $"{extensions.Length / 2:x4}{extensions}");
        int length = 2 + 32 + (tail.Length / 2);
        return $"^16fefd0000000000000001{length + 12:x4}02{length:x6}0001000000{length:x6}fefd[0-9a-f]{{64}}{Regex.Escape(tail)}"
            + "16fefd0000000000000002000c0e0000000002000000000000$";
    }
}
