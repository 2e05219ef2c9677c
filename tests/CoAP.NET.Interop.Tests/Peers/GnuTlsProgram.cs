using System.Globalization;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>The programs <c>gnutls-cli</c>, which passes on octets, and <c>gnutls-serv</c> over DTLS 1.2.</summary>
internal static class GnuTlsProgram
{
    public const string Client = "gnutls-cli";
    public const string Server = "gnutls-serv";

    /// <summary>Pre-shared keys with AES-CCM and tags of 8 bytes.</summary>
    public const string KeyCcm8 = "+PSK:+AES-128-CCM-8";

    /// <summary>Signatures by ECDSA with AES-CCM and tags of 8 bytes.</summary>
    public const string EcdsaCcm8 = "+ECDHE-ECDSA:+AES-128-CCM-8";

    /// <summary>The same with raw public keys.</summary>
    public const string RawKeysCcm8 = EcdsaCcm8 + ":-CTYPE-ALL:+CTYPE-CLI-RAWPK:+CTYPE-SRV-RAWPK";

    /// <summary>Starts a client.</summary>
    /// <param name="server">Whom it connects to.</param>
    /// <param name="suites">What it offers, as a part of a priority string.</param>
    /// <param name="arguments">More arguments.</param>
    public static PeerProcess StartClient(StreamServer server, string suites, params string[] arguments) =>
        StartClient(new Uri(server.Uri("/")).Port, suites, arguments);

    /// <summary>Starts a client.</summary>
    /// <param name="port">The port of 127.0.0.1 that it connects to.</param>
    /// <param name="suites">What it offers, as a part of a priority string.</param>
    /// <param name="arguments">More arguments.</param>
    public static PeerProcess StartClient(int port, string suites, params string[] arguments) => PeerProcess.StartTalking(
        Client, [.. Always(suites), "127.0.0.1", "--port", port.ToString(CultureInfo.InvariantCulture), .. arguments]);

    /// <summary>What both programs are told: DTLS 1.2 with these suites, and a log of messages and alerts on standard error.</summary>
    /// <param name="suites">A part of a priority string.</param>
    public static string[] Always(string suites) =>
        ["--udp", "--debug", "5", "--priority", $"NORMAL:-VERS-ALL:+VERS-DTLS1.2:-KX-ALL:-CIPHER-ALL:{suites}"];

    /// <summary>The arguments of a client for a pre-shared key.</summary>
    /// <param name="key">The key as text.</param>
    /// <param name="identity">Its identity.</param>
    public static string[] WithKey(string key = StreamServer.Key, string identity = StreamServer.Identity) =>
        ["--pskusername", identity, "--pskkey", Convert.ToHexString(Encoding.ASCII.GetBytes(key))];
}
