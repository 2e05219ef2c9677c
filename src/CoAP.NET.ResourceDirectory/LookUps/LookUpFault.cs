namespace CoAP.NET.ResourceDirectory.LookUps;

/// <summary>The reason why a look-up has no result.</summary>
internal enum LookUpFault
{
    None,

    /// <summary>More matches than a response may have.</summary>
    TooManyResults,

    /// <summary>More registrations to scan than allowed in one step.</summary>
    TooMuchWork,
}
