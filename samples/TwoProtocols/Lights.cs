using System.Collections.Concurrent;

namespace TwoProtocolsSample;

/// <summary>The lights of a house.</summary>
internal sealed class Lights
{
    private readonly ConcurrentDictionary<int, bool> _on = [];

    public bool IsOn(int id) => _on.GetValueOrDefault(id);

    public void Switch(int id, bool on) => _on[id] = on;
}
