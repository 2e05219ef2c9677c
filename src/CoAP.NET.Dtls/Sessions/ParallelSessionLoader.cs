namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Opens very many sessions on all processors, and adds them in their order, one thread at a time: it adds the opened parts while it opens
/// others.
/// </summary>
/// <param name="sessions">The sessions.</param>
/// <param name="open">Opens one; several threads call it concurrently.</param>
/// <param name="add">Adds an opened one.</param>
internal sealed class ParallelSessionLoader(IReadOnlyList<DtlsSession> sessions, Action<DtlsSession> open, Action<DtlsSession> add)
{
    // Number of sessions that one thread opens in sequence.
    private const int SizeOfPart = 500;

    private readonly Lock _gate = new();
    private readonly bool[] _isOpen = new bool[(sessions.Count + SizeOfPart - 1) / SizeOfPart];
    private int _added;
    private bool _isAdding;

    /// <summary>Opens and adds all sessions before it returns.</summary>
    public void Run() => Parallel.For(0, _isOpen.Length, part =>
    {
        ForEachOf(part, open);
        lock (_gate)
        {
            _isOpen[part] = true;
            if (_isAdding)
            {
                // The thread that adds will see it.
                return;
            }

            _isAdding = true;
        }

        while (TryTakeNext(out int next))
        {
            ForEachOf(next, add);
        }
    });

    private bool TryTakeNext(out int part)
    {
        lock (_gate)
        {
            part = _added;
            _isAdding = part < _isOpen.Length && _isOpen[part];
            _added += _isAdding ? 1 : 0;
            return _isAdding;
        }
    }

    private void ForEachOf(int part, Action<DtlsSession> action)
    {
        int end = Math.Min(sessions.Count, (part + 1) * SizeOfPart);
        for (int i = part * SizeOfPart; i < end; i++)
        {
            action(sessions[i]);
        }
    }
}
