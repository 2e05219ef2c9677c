namespace CoAP.NET.ResourceDirectory;

/// <summary>A place of the index: what it knows of one registration. Filled again when the registration has gone.</summary>
internal struct DirectoryPlace
{
    /// <summary>The registration.</summary>
    public Registration Registration;

    /// <summary>The first eight bytes of its key, by which all lists are sorted: the same on every node.</summary>
    public ulong Order;

    /// <summary>The other four.</summary>
    public uint Tail;

    /// <summary>Where it is in the heap that has it; -1 for none.</summary>
    public int HeapIndex;

    /// <summary>When its lifetime is over, in milliseconds of the index; see <see cref="DirectoryIndex.Now"/>.</summary>
    public long ActiveUntil;

    /// <summary>What it takes of the bytes of the directory.</summary>
    public int Cost;

    /// <summary>Its number in the shares of sources.</summary>
    public int Member;

    /// <summary>How many links it has.</summary>
    public ushort LinkCount;

    /// <summary>Whether it is found: its lifetime is not over.</summary>
    public bool IsActive;

    /// <summary>Whether it is shown on one link only. Set before it enters a list.</summary>
    public bool IsLinkLocal;

    /// <summary>What a look-up reads of it.</summary>
    public readonly DirectoryEntry Entry => new(Registration, Order, Tail);
}
