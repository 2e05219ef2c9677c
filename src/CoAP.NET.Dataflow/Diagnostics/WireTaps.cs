namespace CoAP.NET.Diagnostics;

/// <summary>The traces of an endpoint. Without any, a message costs one read of a field.</summary>
internal sealed class WireTaps
{
    private readonly Lock _gate = new();
    private volatile IWireTap[]? _traces;

    public bool IsOn => _traces is not null;

    /// <summary>Passes a message to all traces. Never waits, never throws.</summary>
    public void See(ReadOnlySpan<byte> bytes, string scheme, in CoapAddress remote, in CoapAddress local, bool isStream, bool isInbound)
    {
        foreach (IWireTap trace in _traces ?? [])
        {
            trace.See(bytes, scheme, remote, local, isStream, isInbound);
        }
    }

    public void Add(IWireTap trace)
    {
        lock (_gate)
        {
            _traces = [.. _traces ?? [], trace];
        }
    }

    public void Remove(IWireTap trace)
    {
        lock (_gate)
        {
            IWireTap[] left = [.. (_traces ?? []).Where(other => other != trace)];
            _traces = left.Length == 0 ? null : left;
        }
    }
}
