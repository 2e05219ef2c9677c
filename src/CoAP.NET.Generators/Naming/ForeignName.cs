namespace CoAP.NET.Generators.Naming;

/// <summary>A name that another library has, and what this one has for it.</summary>
/// <param name="Receiver">The type with the members, with its namespace; null for the name of a type.</param>
/// <param name="Name">The name, which does not exist here or takes other arguments.</param>
/// <param name="Use">What to write instead. Code is in quotes.</param>
internal sealed record ForeignName(string? Receiver, string Name, string Use)
{
    /// <summary>The arguments that this is about; by default all, because there is no such name.</summary>
    public ForeignNameArguments Arguments { get; init; }

    /// <summary>The type of the wrong argument, or the type argument of the receiver, with its namespace; null for any.</summary>
    public string? ArgumentType { get; init; }

    /// <summary>Whether derived types have the member, so that only the type itself is meant.</summary>
    public bool IsExact { get; init; }
}
