using System.Net.Security;
using System.Net.Sockets;
using CoAP.NET.Orleans.Nodes;

namespace CoAP.NET.Orleans.Tests.Silos;

/// <summary>A port of a silo as a program sees it that has a secret, the right one or another one.</summary>
internal static class SiloPort
{
    /// <summary>Whether the silo sends something after the handshake.</summary>
    /// <param name="port">The port.</param>
    /// <param name="secret">The secret.</param>
    public static async Task<bool> SendsAsync(IPEndPoint port, ReadOnlyMemory<byte> secret)
    {
        using SiloCertificate certificate = new([secret]);
        using TcpClient connection = new();
        await connection.ConnectAsync(port);
        await using SslStream stream = new(connection.GetStream());
        try
        {
            await stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
            {
                TargetHost = "silo",
                LocalCertificateSelectionCallback = (_, _, _, _, _) => certificate.Certificate,
                RemoteCertificateValidationCallback = (_, shown, _, _) => shown is not null,
            });
            return await stream.ReadAsync(new byte[1]) > 0;
        }
        catch (IOException)
        {
            return false;
        }
    }
}
