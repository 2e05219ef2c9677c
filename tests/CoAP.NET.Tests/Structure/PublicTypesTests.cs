using System.Reflection;
using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Tests.Structure;

/// <summary>Each public type is there for somebody: users make it, derive from it, call it, or are given it.</summary>
public class PublicTypesTests
{
    private const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static
        | BindingFlags.DeclaredOnly;

    [Fact]
    public void Every_public_type_can_be_constructed_derived_called_or_obtained_by_users()
    {
        Type[] types = [.. SourceTree.Assemblies.SelectMany(static assembly => assembly.GetExportedTypes())];
        Assert.Empty(Idle(types).Select(static type => type.FullName).Order());
    }

    [Fact]
    public void The_scan_finds_a_class_that_users_can_neither_construct_nor_obtain()
    {
        Assert.Equal([typeof(Nobodys)], Idle([typeof(Nobodys), typeof(Given), typeof(Giver)]));
        Assert.Equal([typeof(Nobodys), typeof(Given)], Idle([typeof(Nobodys), typeof(Given)]));
    }

    // A stage's block is no business of users: they put theirs in place of it.
    [Fact]
    public void The_only_public_blocks_are_those_that_users_insert() =>
        Assert.Equal([typeof(CoapDatagramRateLimiter), typeof(CoapInlineBlock<,>)],
            typeof(CoapCounters).Assembly.GetExportedTypes().Where(static type => type.IsAssignableTo(typeof(IDataflowBlock))));

    private static IEnumerable<Type> Idle(Type[] types)
    {
        HashSet<Type> given = [.. types.SelectMany(GivenBy).SelectMany(Parts)];
        Type[] used = [.. types.Where(type => IsMadeOrCalled(type) || given.Contains(type))];
        return types.Except(used).Where(type => !IsSharedPart(type, used));
    }

    // What several types have in common, for those who use them: a base class with members that users call.
    private static bool IsSharedPart(Type type, Type[] used) =>
        type.IsAbstract && type.GetMethods(All).Any(IsOpen)
        && used.Any(other =>
            BasesOf(other).Any(ancestor => (ancestor.IsGenericType ? ancestor.GetGenericTypeDefinition() : ancestor) == type));

    private static IEnumerable<Type> BasesOf(Type type)
    {
        for (Type? ancestor = type.BaseType; ancestor is not null; ancestor = ancestor.BaseType)
        {
            yield return ancestor;
        }
    }

    // Exceptions are caught.
    private static bool IsMadeOrCalled(Type type) =>
        type.IsAssignableTo(typeof(Exception)) || type.IsInterface || type.IsEnum || type.IsAssignableTo(typeof(Delegate))
        || (type.IsAbstract && type.IsSealed)
        || (type.IsValueType && type.GetProperties(All).Any(static property => IsOpen(property.SetMethod)))
        || type.GetConstructors(All).Any(static constructor => !constructor.IsStatic && IsOpen(constructor));

    // What members give back, and what they give to code of users: overrides, implementations and callbacks.
    private static IEnumerable<Type> GivenBy(Type type)
    {
        foreach (MethodInfo method in type.GetMethods(All).Where(IsOpen))
        {
            yield return method.ReturnType;
            foreach (ParameterInfo parameter in method.GetParameters())
            {
                if (parameter.IsOut || ((method.IsVirtual || type.IsInterface) && !method.IsFinal)
                    || parameter.ParameterType.IsAssignableTo(typeof(Delegate)))
                {
                    yield return parameter.ParameterType;
                }
            }
        }

        foreach (ParameterInfo callback in type.GetConstructors(All).Where(IsOpen)
            .SelectMany(static constructor => constructor.GetParameters()))
        {
            if (callback.ParameterType.IsAssignableTo(typeof(Delegate)))
            {
                yield return callback.ParameterType;
            }
        }

        // Constants among them.
        foreach (FieldInfo field in type.GetFields(All).Where(static field => field.IsPublic || field.IsFamily))
        {
            yield return field.FieldType;
        }
    }

    private static IEnumerable<Type> Parts(Type type)
    {
        if (type.HasElementType)
        {
            return Parts(type.GetElementType()!);
        }

        Type itself = type.IsGenericType ? type.GetGenericTypeDefinition() : type;
        return [itself, .. type.GetGenericArguments().Where(argument => argument != type).SelectMany(Parts)];
    }

    private static bool IsOpen(MethodBase? method) => method is { IsPublic: true } or { IsFamily: true } or { IsFamilyOrAssembly: true };

    private class Nobodys
    {
        internal Nobodys()
        {
        }
    }

    private sealed class Given : Nobodys
    {
        internal Given()
        {
        }
    }

    private static class Giver
    {
        public static Task<Given[]> GetAsync() => Task.FromResult(Array.Empty<Given>());
    }
}
