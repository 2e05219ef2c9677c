using System.Net.Security;
using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>A socket, with TLS over it or without.</summary>
/// <param name="socket">The socket.</param>
/// <param name="stream">The stream over it, a <see cref="SslStream"/> or not.</param>
/// <param name="remote">The peer.</param>
/// <param name="isInitiator">Whether we connected.</param>
internal sealed class SocketLink(Socket socket, Stream stream, CoapAddress remote, bool isInitiator) : ConnectionLink
{
    private SslStream? Tls => stream as SslStream;

    public override ValueTask<int> WaitAsync() => stream.ReadAsync(Memory<byte>.Empty, CancellationToken.None);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer) => stream.ReadAsync(buffer, CancellationToken.None);

    // Of the socket, also under TLS: what it means matters to nobody.
    public override ValueTask<int> DiscardAsync(Memory<byte> buffer) => socket.ReceiveAsync(buffer, SocketFlags.None, CancellationToken.None);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, bool endsMessage) => stream.WriteAsync(bytes, CancellationToken.None);

    public override async ValueTask EndOutputAsync()
    {
        if (Tls is { } tls)
        {
            await tls.ShutdownAsync().ConfigureAwait(false);
        }

        socket.Shutdown(SocketShutdown.Send);
    }

    // Sends close_notify as far as that goes at once; what is still under way when the socket goes is lost with it.
    public override void SayEnd()
    {
        if (Tls is not { } tls)
        {
            return;
        }

        try
        {
            Task said = tls.ShutdownAsync();
            if (!said.IsCompletedSuccessfully)
            {
                _ = said.ContinueWith(static task => _ = task.Exception, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            }
        }
#pragma warning disable CA1031 // it is over anyway; what the platform's TLS says of a connection that is ending elsewhere, too, has many types
        catch (Exception)
#pragma warning restore CA1031
        {
        }
    }

    public override void Close()
    {
        try
        {
            // Without it the platform resets a connection on which somebody waits.
            socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The other side was first.
        }

        socket.Dispose();
    }

    public override void Release() => stream.Dispose();

    public override Exception Explain(Exception error, bool hasHeard) => error switch
    {
        CoapConnectionException => error,
        _ when Tls is not null && isInitiator && !hasHeard => TlsFailure.EndedByServer(remote, error),
        IOException { InnerException: SocketException inner } => inner,
        _ => error,
    };

    // With TLS 1.3 a client is through before the server has looked at its certificate.
    public override Exception? ExplainEnd(bool hasHeard) => Tls is not null && isInitiator && !hasHeard ? TlsFailure.EndedByServer(remote, null) : null;
}
