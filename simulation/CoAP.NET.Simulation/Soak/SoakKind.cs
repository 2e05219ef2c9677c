namespace CoAP.NET.Simulation.Soak;

/// <summary>What one operation of the load does.</summary>
internal enum SoakKind
{
    /// <summary>A GET with a small answer.</summary>
    Get,

    /// <summary>The same, Non-confirmable.</summary>
    NonGet,

    /// <summary>A PUT with a small payload.</summary>
    Put,

    /// <summary>A POST, which must run at most once.</summary>
    Post,

    /// <summary>A DELETE.</summary>
    Delete,

    /// <summary>A GET that is answered by a message of its own, later than its acknowledgement.</summary>
    Slow,

    /// <summary>A body that goes up in blocks.</summary>
    Upload,

    /// <summary>A body that comes down in blocks.</summary>
    Download,

    /// <summary>A GET that is cancelled soon.</summary>
    Cancel,
}
