namespace CoAP.NET;

/// <summary>A place between two stages where an application can insert a block.</summary>
/// <remarks>The stage links are the members of <see cref="CoapStageLinks"/>.</remarks>
/// <typeparam name="T">The type of the items that pass the link.</typeparam>
public sealed class CoapStageLink<T>
{
    internal CoapStageLink(string name) => Name = name;

    /// <summary>The name of the link, such as <c>Transport to Channel</c>.</summary>
    public string Name { get; }

    /// <summary>Returns the name.</summary>
    /// <returns>The name.</returns>
    public override string ToString() => Name;
}
