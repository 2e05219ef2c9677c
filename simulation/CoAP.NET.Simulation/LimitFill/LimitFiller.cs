namespace CoAP.NET.Simulation.LimitFill;

/// <summary>Something of an attacker that holds a place: by default a socket.</summary>
/// <param name="socket">The socket; null for none.</param>
internal class LimitFiller(Socket? socket) : IAsyncDisposable
{
    /// <summary>Whether the server took the place away, so that another holder is made.</summary>
    public virtual bool IsGone
    {
        get
        {
            try
            {
                return Socket is { SocketType: SocketType.Stream }
                    && (Socket.Poll(0, SelectMode.SelectError) || (Socket.Poll(0, SelectMode.SelectRead) && Socket.Available == 0));
            }
            catch (SocketException)
            {
                return true;
            }
        }
    }

    protected Socket? Socket { get; } = socket;

    /// <summary>Does again what keeps the place, where silence would lose it.</summary>
    public virtual ValueTask KeepAsync() => ValueTask.CompletedTask;

    public virtual ValueTask DisposeAsync()
    {
        Socket?.Dispose();
        GC.SuppressFinalize(this);
        return ValueTask.CompletedTask;
    }
}
