using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>A slot of the index for one registration. Reused after the registration has gone.</summary>
internal struct RegistrationSlot
{
    public Registration Registration;

    /// <summary>The first eight bytes of its key, which sort all lists: the same on every node.</summary>
    public ulong Order;

    /// <summary>The other four bytes.</summary>
    public uint Tail;

    /// <summary>Its position in its heap; -1 for none.</summary>
    public int HeapIndex;

    /// <summary>The end of its lifetime, in milliseconds of the index; see <see cref="DirectoryIndex.Now"/>.</summary>
    public long ActiveUntil;

    /// <summary>The bytes that it takes of the directory's limit.</summary>
    public int Cost;

    /// <summary>Its index in the shares of sources.</summary>
    public int Member;

    public ushort LinkCount;

    /// <summary>Whether it is visible: its lifetime is not over.</summary>
    public bool IsActive;

    /// <summary>Whether it is visible on one network link only. Set before it enters a list.</summary>
    public bool IsLinkLocal;

    /// <summary>The part that lookups read.</summary>
    public readonly DirectoryEntry Entry => new(Registration, Order, Tail);
}
