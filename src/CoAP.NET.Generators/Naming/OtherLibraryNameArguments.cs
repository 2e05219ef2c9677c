namespace CoAP.NET.Generators.Naming;

/// <summary>The arguments of a call to which an <see cref="OtherLibraryName"/> applies.</summary>
internal enum OtherLibraryNameArguments
{
    /// <summary>Any, or no call.</summary>
    Any,

    /// <summary>Two or more.</summary>
    Several,

    /// <summary>Two or more, or one that is not a text.</summary>
    NotOneText,

    /// <summary>A lambda.</summary>
    Lambda,

    /// <summary>An argument of one type after the first argument.</summary>
    OfType,
}
