namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>The reason why a lookup has no result.</summary>
internal enum LookupFault
{
    None,

    /// <summary>More matches than a response may have.</summary>
    TooManyResults,

    /// <summary>More registrations to scan than allowed in one step.</summary>
    TooMuchWork,
}
