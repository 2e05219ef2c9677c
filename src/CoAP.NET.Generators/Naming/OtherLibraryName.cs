namespace CoAP.NET.Generators.Naming;

/// <summary>A name of another CoAP library and its replacement here.</summary>
/// <param name="Receiver">The type with the members, with its namespace; null for the name of a type.</param>
/// <param name="Name">The name, which does not exist here or takes other arguments.</param>
/// <param name="Use">The replacement, as text of the hint. Code is in quotes.</param>
internal sealed record OtherLibraryName(string? Receiver, string Name, string Use)
{
    /// <summary>The arguments to which the hint applies. Default: all, because the name does not exist here.</summary>
    public OtherLibraryNameArguments Arguments { get; init; }

    /// <summary>The type of the wrong argument, or the type argument of the receiver, with its namespace; null for any.</summary>
    public string? ArgumentType { get; init; }

    /// <summary>Whether the hint applies to the type itself and not to derived types, which have the member.</summary>
    public bool IsExact { get; init; }
}
