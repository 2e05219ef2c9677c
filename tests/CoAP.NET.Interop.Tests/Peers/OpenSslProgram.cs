namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>The programs <c>s_client</c> and <c>s_server</c> of OpenSSL over DTLS 1.2, which pass on octets.</summary>
internal static class OpenSslProgram
{
    public const string Name = "openssl";

    /// <summary>Starts a client.</summary>
    /// <param name="server">Whom it connects to.</param>
    /// <param name="arguments">More arguments of <c>s_client</c>.</param>
    public static PeerProcess StartClient(StreamServer server, params string[] arguments) =>
        StartClientWithCommands(server, ["-nocommands", .. arguments]);

    /// <summary>Starts a client that takes a letter at the begin of what is typed as a command: <c>R</c> for a renegotiation.</summary>
    /// <param name="server">Whom it connects to.</param>
    /// <param name="arguments">More arguments of <c>s_client</c>.</param>
    public static PeerProcess StartClientWithCommands(StreamServer server, params string[] arguments) => PeerProcess.StartTalking(
        Name, ["s_client", .. VersionOf(arguments), "-state", "-connect", new Uri(server.Uri("/")).Authority, .. arguments]);

    /// <summary>DTLS 1.2, unless the arguments have another version.</summary>
    /// <param name="arguments">The arguments.</param>
    public static string[] VersionOf(string[] arguments) => arguments.Contains("-dtls1") ? [] : ["-dtls1_2"];

    /// <summary>The arguments for a pre-shared key.</summary>
    /// <param name="cipher">The only cipher suite.</param>
    /// <param name="key">The key as text.</param>
    /// <param name="identity">Its identity.</param>
    public static string[] WithKey(
        string cipher = "PSK-AES128-CCM8", string key = StreamServer.Key, string identity = StreamServer.Identity) =>
        ["-cipher", cipher, "-psk_identity", identity, "-psk", Convert.ToHexString(Encoding.ASCII.GetBytes(key))];
}
