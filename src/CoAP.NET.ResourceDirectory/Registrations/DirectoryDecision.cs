namespace CoAP.NET.ResourceDirectory.Registrations;

/// <summary>The decision about a change of a registration.</summary>
internal enum DirectoryDecision : byte
{
    /// <summary>The change was made.</summary>
    Done,

    /// <summary>The registration does not exist.</summary>
    Missing,

    /// <summary>The registration belongs to another client.</summary>
    NotOwner,

    /// <summary>The request may be older than the last change.</summary>
    NotFresh,

    /// <summary>The question is unreadable: the asking node has another version of the library.</summary>
    Unreadable,
}
