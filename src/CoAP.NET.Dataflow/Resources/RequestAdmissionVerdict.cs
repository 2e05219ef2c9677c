namespace CoAP.NET.Resources;

/// <summary>Whether another request of a peer may be served.</summary>
internal enum RequestAdmissionVerdict : byte
{
    Enters,

    /// <summary>The maximum number of requests is running.</summary>
    Full,

    /// <summary>The source has used its share of the few free places.</summary>
    Share,

    /// <summary>All unverified addresses together have used their share.</summary>
    Unverified,
}
