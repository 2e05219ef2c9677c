using System.Runtime.InteropServices;

namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// Places of which there are so many in all and for each source; no source gets more than half of what is free, but one gets a place while
/// there is any. Its caller locks.
/// </summary>
/// <param name="most">How many there are.</param>
/// <param name="mostOfSource">How many a source may have.</param>
internal sealed class SourcePlaces(int most, int mostOfSource)
{
    private readonly Dictionary<CoapSource, int> _ofSources = [];

    /// <summary>How many are taken.</summary>
    public int Taken { get; private set; }

    /// <summary>Whether there is one for a source.</summary>
    /// <param name="source">The source.</param>
    public bool HasRoom(in CoapSource source)
    {
        int held = _ofSources.GetValueOrDefault(source);
        int free = most - Taken;
        return free > 0 && held < Math.Min(mostOfSource, Math.Max(1, (free + held) / 2));
    }

    /// <summary>Takes one if there is one; pairs with <see cref="Return"/>.</summary>
    /// <param name="source">For whom.</param>
    /// <returns>Whether there was one.</returns>
    public bool TryTake(in CoapSource source)
    {
        if (!HasRoom(source))
        {
            return false;
        }

        CollectionsMarshal.GetValueRefOrAddDefault(_ofSources, source, out _)++;
        Taken++;
        return true;
    }

    /// <summary>Gives one back.</summary>
    /// <param name="source">Who had it.</param>
    public void Return(in CoapSource source)
    {
        Taken--;
        if (--CollectionsMarshal.GetValueRefOrAddDefault(_ofSources, source, out _) == 0)
        {
            _ofSources.Remove(source);
        }
    }
}
