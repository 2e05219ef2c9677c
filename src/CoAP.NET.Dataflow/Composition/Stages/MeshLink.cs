using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Composition.Stages;

/// <summary>A link of the mesh.</summary>
/// <param name="source">The offering block.</param>
/// <param name="target">The accepting block.</param>
/// <param name="link">The name of the link.</param>
/// <param name="item">The type of the items.</param>
internal abstract class MeshLink(IDataflowBlock source, IDataflowBlock target, string link, Type item)
{
    /// <summary>The offering block.</summary>
    public IDataflowBlock Source { get; } = source;

    /// <summary>The accepting block.</summary>
    public IDataflowBlock Target { get; } = target;

    public string LinkName { get; } = link;

    public Type Item { get; } = item;

    /// <summary>Removes the link, so that the source offers nothing more to the target.</summary>
    public abstract void Cut();

    /// <summary>Links the source past the blocks of the application, if the block behind them takes the same items.</summary>
    /// <param name="target">The stage behind the blocks.</param>
    public abstract void Bypass(IDataflowBlock target);

    /// <summary>From now on, drops and counts what a block of the application still passes on.</summary>
    public abstract void Abandon();
}
