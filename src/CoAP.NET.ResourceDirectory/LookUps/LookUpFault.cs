namespace CoAP.NET.ResourceDirectory;

/// <summary>Why a look-up has no answer.</summary>
internal enum LookUpFault
{
    None,

    /// <summary>More matches than an answer may have.</summary>
    TooManyResults,

    /// <summary>It would go through more registrations than it may.</summary>
    TooMuchWork,
}
