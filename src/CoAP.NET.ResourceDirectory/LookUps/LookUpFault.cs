namespace CoAP.NET.ResourceDirectory;

/// <summary>Why a look-up has no answer.</summary>
internal enum LookUpFault
{
    None,

    /// <summary>More matches than an answer may have.</summary>
    TooManyResults,

    /// <summary>There are more registrations to go through than it may at a time.</summary>
    TooMuchWork,
}
