using System.Reflection;

namespace CoAP.NET.Orleans.Tests.Nodes;

/// <summary>An object whose members call one delegate.</summary>
public class Stub : DispatchProxy
{
    private Func<MethodInfo, object?[], object?>? _call;

    public static T Make<T>(Func<MethodInfo, object?[], object?> call)
        where T : class
    {
        T made = Create<T, Stub>();
        ((Stub)(object)made)._call = call;
        return made;
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) => _call!(targetMethod!, args ?? []);
}
