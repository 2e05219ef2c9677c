namespace CoAP.NET.Mesh;

/// <summary>
/// A place between two stages where a block of yours can be put in. The seams are the members of <see cref="CoapSeams"/>.
/// </summary>
/// <typeparam name="T">What passes there.</typeparam>
public sealed class CoapSeam<T>
{
    internal CoapSeam(string name) => Name = name;

    /// <summary>The name, such as <c>Transport to Channel</c>.</summary>
    public string Name { get; }

    /// <summary>The name.</summary>
    /// <returns>The name.</returns>
    public override string ToString() => Name;
}
