using System.Net.Security;
using System.Security.Authentication;

namespace CoAP.NET.Simulation.LimitFill;

/// <summary>
/// The line below an attacker's TLS, of which each write is counted for its source. It can send the first half of a record only.
/// </summary>
/// <param name="source">The source.</param>
/// <param name="socket">The socket.</param>
internal sealed class HalfRecords(LimitFillSource source, Socket socket) : NetworkStream(socket, ownsSocket: false)
{
    // A handshake is slow where the machine is busy; whom the server does not let in is told by it.
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(1);

    private bool _halves;

    /// <summary>A connection that shook hands, sent its CSM, has that of the server, and sends half a record.</summary>
    public static async Task<LimitFiller> HoldAsync(LimitFillSource source)
    {
        Socket socket = await source.ConnectAsync(source.Target.Tls);
        try
        {
            await SendAsync(new HalfRecords(source, socket)).WaitAsync(s_hang);
        }
        catch (Exception exception) when (exception is IOException or AuthenticationException or TimeoutException)
        {
            // It was not let in: that is the server's right.
            socket.Dispose();
            throw new SocketException((int)SocketError.ConnectionRefused);
        }

        return new LimitFiller(socket);
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        await source.SendAsync(Socket, _halves ? buffer[..(buffer.Length / 2)] : buffer);

    private static async Task SendAsync(HalfRecords line)
    {
        SslStream tls = new(line);
        await tls.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
#pragma warning disable CA5359 // whoever attacks does not care whose server it is
            RemoteCertificateValidationCallback = (_, _, _, _) => true,
#pragma warning restore CA5359
            ApplicationProtocols = [new SslApplicationProtocol("coap")],
        });
        await tls.WriteAsync(LimitFillSource.Csm);
        _ = await tls.ReadAsync(new byte[100]);
        line._halves = true;
        await tls.WriteAsync(new byte[1000]);
    }
}
