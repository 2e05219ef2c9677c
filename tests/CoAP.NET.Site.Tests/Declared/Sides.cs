namespace CoAP.NET.Site.Tests.Declared;

/// <summary>Which sides.</summary>
[Flags]
public enum Sides : byte
{
    /// <summary>None.</summary>
    None = 0,

    /// <summary>The left one.</summary>
    Left = 1,

    /// <summary>The right one | the other.</summary>
    Right = 16,
}
