using System.Runtime.InteropServices;

namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// Places that are limited in total and per source. A source gets at most half of the free places, and its first one as long as any is
/// free. The caller locks.
/// </summary>
/// <param name="most">The total number of places.</param>
/// <param name="mostOfSource">The maximum number of places of a source.</param>
internal sealed class SourcePlaces(int most, int mostOfSource)
{
    private readonly Dictionary<CoapSource, int> _ofSources = [];

    /// <summary>The number of taken places.</summary>
    public int Taken { get; private set; }

    /// <summary>Whether a place is free for a source.</summary>
    /// <param name="source">The source.</param>
    public bool HasRoom(in CoapSource source)
    {
        int held = _ofSources.GetValueOrDefault(source);
        int free = most - Taken;
        return free > 0 && held < Math.Min(mostOfSource, Math.Max(1, (free + held) / 2));
    }

    /// <summary>Takes a free place; pairs with <see cref="Return"/>.</summary>
    /// <param name="source">The source.</param>
    /// <returns>Whether a place was free.</returns>
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

    /// <summary>Returns a place.</summary>
    /// <param name="source">The source that held it.</param>
    public void Return(in CoapSource source)
    {
        Taken--;
        if (--CollectionsMarshal.GetValueRefOrAddDefault(_ofSources, source, out _) == 0)
        {
            _ofSources.Remove(source);
        }
    }
}
