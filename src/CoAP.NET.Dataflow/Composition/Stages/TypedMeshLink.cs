using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Composition.Stages;

/// <summary>
/// A link of the mesh for items of one type. It does not pass on the end of its source: <see cref="MeshWiring"/> ends blocks.
/// </summary>
internal sealed class TypedMeshLink<T> : MeshLink
{
    private static readonly DataflowLinkOptions s_alone = new();

    private readonly UserBlockOutputTarget<T>? _exit;
    private readonly IDisposable _link;

    /// <summary>Links two blocks.</summary>
    /// <param name="source">The offering block.</param>
    /// <param name="target">The accepting block.</param>
    /// <param name="link">The name of the link.</param>
    /// <param name="counters">Counts what leaves an abandoned block.</param>
    public TypedMeshLink(ISourceBlock<T> source, ITargetBlock<T> target, string link, CoapCounters counters)
        : base(source, target, link, typeof(T))
    {
        From = source;
        To = target;
        if (target is not InlineTarget<T> stage)
        {
            _link = source.LinkTo(new UserCodeTarget<T>(target), s_alone);
        }
        else if (source is InlineBlockBase)
        {
            _link = source.LinkTo(target, s_alone);
        }
        else
        {
            _exit = new UserBlockOutputTarget<T>(stage, counters);
            _link = source.LinkTo(_exit, s_alone);
        }
    }

    /// <summary>The offering block.</summary>
    public ISourceBlock<T> From { get; }

    /// <summary>The accepting block.</summary>
    public ITargetBlock<T> To { get; }

    /// <inheritdoc/>
    public override void Cut() => _link.Dispose();

    /// <inheritdoc/>
    public override void Bypass(IDataflowBlock target)
    {
        if (target is ITargetBlock<T> stage)
        {
            From.LinkTo(stage is InlineBlockBase ? stage : new UserCodeTarget<T>(stage), s_alone);
        }
    }

    /// <inheritdoc/>
    public override void Abandon() => _exit?.Abandon();
}
