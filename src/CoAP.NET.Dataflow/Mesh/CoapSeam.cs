namespace CoAP.NET;

/// <summary>A place between two stages where an application can insert a block.</summary>
/// <remarks>The seams are the members of <see cref="CoapSeams"/>.</remarks>
/// <typeparam name="T">The type of the items that pass the seam.</typeparam>
public sealed class CoapSeam<T>
{
    internal CoapSeam(string name) => Name = name;

    /// <summary>The name of the seam, such as <c>Transport to Channel</c>.</summary>
    public string Name { get; }

    /// <summary>Returns the name.</summary>
    /// <returns>The name.</returns>
    public override string ToString() => Name;
}
