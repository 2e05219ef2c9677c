namespace CoAP.NET;

/// <summary>A stage of the mesh that <see cref="CoapPipelineOptions.Replace"/> can replace.</summary>
/// <remarks>The stages are the members of <see cref="CoapStages"/>.</remarks>
/// <typeparam name="TBlocks">The type of the replacement: one block, or a pair.</typeparam>
public sealed class CoapStage<TBlocks>
    where TBlocks : class
{
    internal CoapStage(string name) => Name = name;

    /// <summary>The name of the stage, such as <c>Serializer</c>.</summary>
    public string Name { get; }

    /// <summary>Returns the name.</summary>
    /// <returns>The name.</returns>
    public override string ToString() => Name;
}
