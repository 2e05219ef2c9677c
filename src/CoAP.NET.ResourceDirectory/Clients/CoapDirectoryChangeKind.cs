namespace CoAP.NET.ResourceDirectory;

/// <summary>The kinds of changes in the results of a watched lookup.</summary>
public enum CoapDirectoryChangeKind
{
    /// <summary>The result is new; the initial results are reported in this way too.</summary>
    Added,

    /// <summary>The attributes of the result have changed.</summary>
    Changed,

    /// <summary>The result was removed.</summary>
    /// <remarks>The change contains its last state.</remarks>
    Removed,
}
