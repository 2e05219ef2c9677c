using System.Net;
using CoAP.NET.Bench;

namespace CoAP.NET.Speed.Servers;

// With coaps.
internal sealed partial class CoapServers : IDisposable
{
    private const string SecureLibCoapProgram = "coap-server-openssl";

    private readonly string? _secureLibCoap = isAlone ? null : FindOnPath(SecureLibCoapProgram);
    private SecureFiles? _files;

    /// <summary>How ends prove themselves.</summary>
    public enum Credentials
    {
        /// <summary>Both by a key that they share.</summary>
        Key,

        /// <summary>The server by a certificate, the client not at all.</summary>
        Certificate,

        /// <summary>Both by certificates.</summary>
        Both,
    }

    public bool HasSecureLibCoap => _secureLibCoap is not null;

    /// <summary>The certificates of servers and clients.</summary>
    public SecureFiles Files => _files ??= new SecureFiles();

    /// <summary>Starts our server: its endpoints are that of coap and that of coaps.</summary>
    public Child StartSecure(Credentials credentials = Credentials.Key)
    {
        string[] proof = credentials switch
        {
            Credentials.Key => ["--psk", $"{SecureClient.Identity}:{SecureClient.Key}"],
            Credentials.Certificate => ["--cert", Files.Certificate, "--key", Files.Key],
            _ => ["--cert", Files.Certificate, "--key", Files.Key, "--ca", Files.Authority],
        };
        return StartOurs(["--bind", "coap://127.0.0.1:0", "--bind", "coaps://127.0.0.1:0", .. proof]);
    }

    /// <summary>Starts our server with a certificate: its endpoints are that of coap+tcp and that of coaps+tcp.</summary>
    public Child StartTls() => StartOurs(
        ["--bind", "coap+tcp://127.0.0.1:0", "--bind", "coaps+tcp://127.0.0.1:0", "--cert", Files.Certificate, "--key", Files.Key]);

    /// <summary>
    /// Starts libcoap's server: its endpoints are that of coap and that of coaps. It takes what it puts into <c>-k</c> as the key of
    /// everybody.
    /// </summary>
    public (Child Child, IPEndPoint Endpoint, IPEndPoint Secure) StartSecureLibCoap(Credentials credentials = Credentials.Key)
    {
        string[] proof = credentials == Credentials.Key ? ["-k", SecureClient.Key] : ["-c", Files.Certificate, "-j", Files.Key, "-n"];
        (Child child, IPEndPoint endpoint) = StartLibCoap(_secureLibCoap!, proof);
        return (child, endpoint, new IPEndPoint(endpoint.Address, endpoint.Port + 1));
    }

    public void Dispose() => _files?.Dispose();
}
