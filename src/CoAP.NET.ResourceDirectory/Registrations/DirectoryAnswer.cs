namespace CoAP.NET.ResourceDirectory;

/// <summary>What was decided about a question.</summary>
internal enum DirectoryAnswer : byte
{
    /// <summary>It is done.</summary>
    Done,

    /// <summary>There is no such registration.</summary>
    Missing,

    /// <summary>The registration is somebody else's.</summary>
    NotOwner,

    /// <summary>The request may be older than the last change.</summary>
    NotFresh,

    /// <summary>The question cannot be read: another version of the library asked.</summary>
    Unreadable,
}
