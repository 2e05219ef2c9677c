using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>
/// Which exceptions a public member throws for bad arguments: in its own code, in private members of its type, and in checks.
/// </summary>
internal sealed class ThrownExceptions
{
    private const BindingFlags All =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;

    // What checks of the library are named.
    private static readonly string[] s_checks = ["Check", "Throw", "Require", "Validate", "Ensure", "Verify"];

    private readonly HashSet<MethodBase> _seen = [];
    private readonly HashSet<Type> _found = [];

    private ThrownExceptions()
    {
    }

    /// <summary>Finds the exceptions of a member.</summary>
    public static IReadOnlyCollection<Type> Of(MethodBase member)
    {
        ThrownExceptions search = new();
        search.Read(member);
        return search._found;
    }

    private void Read(MethodBase method)
    {
        if (!_seen.Add(method) || method.GetMethodBody() is not { } body)
        {
            return;
        }

        if (method.GetCustomAttribute<StateMachineAttribute>() is { } machine
            && machine.StateMachineType.GetMethod("MoveNext", All) is { } next)
        {
            Read(next);
            return;
        }

        MethodBase? last = null;
        foreach ((OpCode code, int token) in IntermediateCode.Instructions(body.GetILAsByteArray()!))
        {
            if (code == OpCodes.Throw && last is not null)
            {
                Add(last is ConstructorInfo made ? made.DeclaringType! : ((MethodInfo)last).ReturnType);
            }

            last = code == OpCodes.Newobj || code == OpCodes.Call || code == OpCodes.Callvirt ? Resolve(method, token) : null;
            if (last is null || code == OpCodes.Newobj)
            {
                continue;
            }

            if (last.DeclaringType is { } type && type.IsAssignableTo(typeof(Exception))
                && last.Name.StartsWith("ThrowIf", StringComparison.Ordinal))
            {
                Add(type);
            }
            else if (IsCheck(method, last))
            {
                Read(last);
            }
        }
    }

    private void Add(Type type)
    {
        // That null is no value for a parameter says its type.
        if (type != typeof(ArgumentNullException)
            && (type.IsAssignableTo(typeof(ArgumentException)) || type.IsAssignableTo(typeof(FormatException))))
        {
            _found.Add(type);
        }
    }

    private static bool IsCheck(MethodBase caller, MethodBase called) =>
        called.Module.Assembly.GetName().Name!.StartsWith("CoAP.NET", StringComparison.Ordinal)
        && (called.DeclaringType == caller.DeclaringType && called.IsPrivate
            || called.DeclaringType!.Name == "ValueGuard"
            || s_checks.Any(check => called.Name.StartsWith(check, StringComparison.Ordinal)));

    private static MethodBase? Resolve(MethodBase method, int token)
    {
        try
        {
            return method.Module.ResolveMethod(token, method.DeclaringType?.GetGenericArguments(),
                method is MethodInfo ? method.GetGenericArguments() : null);
        }
        catch (Exception exception) when (exception is ArgumentException or TypeLoadException or FileNotFoundException)
        {
            return null;
        }
    }
}
