using System.Reflection;
using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>Another node whose answers a test makes up.</summary>
public class ScriptedNodeService : DispatchProxy
{
    private Func<string, object?[], Task>? _answer;

    /// <summary>Makes one.</summary>
    /// <param name="answer">Returns the answer to a call, from the name of the member and its arguments.</param>
    internal static INodeService Make(Func<string, object?[], Task> answer)
    {
        INodeService made = Create<INodeService, ScriptedNodeService>();
        ((ScriptedNodeService)made)._answer = answer;
        return made;
    }

    /// <inheritdoc/>
    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) => _answer!(targetMethod!.Name, args ?? []);
}
