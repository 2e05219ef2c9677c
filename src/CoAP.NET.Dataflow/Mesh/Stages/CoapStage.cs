namespace CoAP.NET.Mesh;

/// <summary>
/// A stage of the mesh that blocks of yours can take the place of, by <see cref="CoapPipelineOptions.Replace"/>. The stages are the members
/// of <see cref="CoapStages"/>.
/// </summary>
/// <typeparam name="TBlocks">What takes its place: one block, or a pair.</typeparam>
public sealed class CoapStage<TBlocks>
    where TBlocks : class
{
    internal CoapStage(string name) => Name = name;

    /// <summary>The name, such as <c>Serializer</c>.</summary>
    public string Name { get; }

    /// <summary>The name.</summary>
    /// <returns>The name.</returns>
    public override string ToString() => Name;
}
