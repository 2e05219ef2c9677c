namespace CoAP.NET;

/// <summary>What happened to a result of a look-up that is watched.</summary>
public enum CoapDirectoryChangeKind
{
    /// <summary>It is among the results now and was not before; everything that is there at first comes so.</summary>
    Came,

    /// <summary>It was among the results before, with other attributes.</summary>
    Changed,

    /// <summary>It is not among the results any more. It is given as it was.</summary>
    Went,
}
