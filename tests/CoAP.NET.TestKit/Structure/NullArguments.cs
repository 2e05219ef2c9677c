using System.ComponentModel;
using System.Linq.Expressions;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace CoAP.NET.Tests.Structure;

/// <summary>
/// Calls the public members of an assembly with null for each parameter that must not be null. Other arguments are simple values.
/// </summary>
/// <remarks>
/// Left out are properties, whose checks belong to their options; records and exceptions, which only hold what they are given; members
/// that override those of the platform; and what only generated code calls. An instance is made by a constructor without required
/// parameters; types without one are left out.
/// </remarks>
internal static class NullArguments
{
    private static readonly NullabilityInfoContext s_nullability = new();
    private static readonly HashSet<object> s_blank = new(ReferenceEqualityComparer.Instance);

    /// <summary>Asserts that each call throws an <see cref="ArgumentException"/>.</summary>
    /// <param name="assembly">The assembly.</param>
    /// <param name="atLeast">The least number of refused arguments, so that the test notices when it calls nothing.</param>
    public static void AreRefused(Assembly assembly, int atLeast)
    {
        List<string> accepted = [];
        int refused = 0;
        foreach (MethodBase method in assembly.GetExportedTypes().SelectMany(MembersOf))
        {
            ParameterInfo[] parameters = method.GetParameters();
            for (int i = 0; i < parameters.Length; i++)
            {
                if (!MayNotBeNull(parameters[i]) || TryCall(method, parameters, i) is not { } outcome)
                {
                    continue;
                }

                if (outcome is ArgumentException)
                {
                    refused++;
                }
                else
                {
                    accepted.Add($"{method.DeclaringType!.Name}.{method} with null for {parameters[i].Name}: {outcome.GetType().Name}");
                }
            }
        }

        Assert.True(accepted.Count == 0, string.Join(Environment.NewLine, accepted));
        Assert.True(refused >= atLeast, $"{refused} arguments were refused.");
    }

    private static IEnumerable<MethodBase> MembersOf(Type type)
    {
        if (type.IsInterface || type.IsEnum || type.Name.Contains('<') || type.ContainsGenericParameters
            || type.IsDefined(typeof(EditorBrowsableAttribute)) || type.IsSubclassOf(typeof(Delegate))
                || type.IsSubclassOf(typeof(Exception)) || type.IsSubclassOf(typeof(Attribute)))
        {
            return [];
        }

        bool isRecord = type.GetMethod("PrintMembers", BindingFlags.NonPublic | BindingFlags.Instance) is not null;
        IEnumerable<MethodBase> methods = type
            .GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly)
            .Where(static method => !method.IsSpecialName && method.GetBaseDefinition() == method)
            .Where(static method => !method.IsDefined(typeof(ObsoleteAttribute)))
            .Where(static method => !method.Name.Contains('<') && method.Name is not (nameof(Equals) or "CompareTo" or "Deconstruct"))
            .Select(static method => method.IsGenericMethodDefinition ? Close(method) : method).OfType<MethodInfo>();
        return isRecord || type.IsAbstract ? methods : methods.Concat(type.GetConstructors());
    }

    private static MethodInfo? Close(MethodInfo method)
    {
        try
        {
            return method.MakeGenericMethod([.. method.GetGenericArguments().Select(static _ => typeof(string))]);
        }
        catch (ArgumentException)
        {
            // A text does not meet the constraints.
            return null;
        }
    }

    private static bool MayNotBeNull(ParameterInfo parameter) =>
        !parameter.ParameterType.IsValueType && !parameter.ParameterType.IsByRef && !parameter.ParameterType.IsPointer
            && s_nullability.Create(parameter).ReadState == NullabilityState.NotNull;

    // The exception, or another object when there is none; null when the call cannot be made.
    private static object? TryCall(MethodBase method, ParameterInfo[] parameters, int index)
    {
        // Spans cannot be boxed.
        object? self = null;
        if (parameters.Any(static parameter => parameter.ParameterType.IsByRefLike)
            || (!method.IsStatic && method is MethodInfo && (self = Make(method.DeclaringType!)) is null))
        {
            return null;
        }

        object?[] arguments = [.. parameters.Select((parameter, i) => i == index ? null : ValueOf(parameter.ParameterType))];
        try
        {
            object? result = method is ConstructorInfo constructor ? constructor.Invoke(arguments) : method.Invoke(self, arguments);
            Task? running = result as Task ?? result?.GetType().GetMethod(nameof(ValueTask.AsTask))?.Invoke(result, null) as Task;
            running?.GetAwaiter().GetResult();
            return "no exception";
        }
        catch (TargetInvocationException thrown)
        {
            return Judge(thrown.InnerException!, arguments);
        }
        catch (Exception thrown)
        {
            return Judge(thrown, arguments);
        }
        finally
        {
            (self as IDisposable)?.Dispose();
        }
    }

    // An argument without content may be what the member stumbled over.
    private static Exception? Judge(Exception thrown, object?[] arguments) =>
        thrown is NullReferenceException && arguments.OfType<object>().Any(s_blank.Contains) ? null : thrown;

    private static object? ValueOf(Type type)
    {
        if (type.IsByRef)
        {
            type = type.GetElementType()!;
        }

        if (type == typeof(string))
        {
            return "x";
        }

        if (type == typeof(ICoapRouteBuilder))
        {
            return new CoapServer();
        }

        if (type.IsAssignableFrom(typeof(CoapClient)))
        {
            return new CoapClient();
        }

        if (type.IsSubclassOf(typeof(JsonTypeInfo)))
        {
            return JsonSerializerOptions.Web.GetTypeInfo(type.GetGenericArguments()[0]);
        }

        if (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(IEnumerable<>))
        {
            Array one = Array.CreateInstance(type.GetGenericArguments()[0], 1);
            one.SetValue(ValueOf(type.GetGenericArguments()[0]), 0);
            return one;
        }

        return type.IsValueType ? Activator.CreateInstance(type)
            : type.IsArray ? Array.CreateInstance(type.GetElementType()!, 0)
            : type.IsSubclassOf(typeof(Delegate)) ? Function(type)
            : type.IsInterface ? Blank(DispatchProxy.Create(type, typeof(Nothing)))
            : Make(type) ?? (type.IsAbstract ? null : Blank(RuntimeHelpers.GetUninitializedObject(type)));
    }

    private static object? Make(Type type)
    {
        ConstructorInfo? constructor = type.IsAbstract ? null
            : type.GetConstructors().FirstOrDefault(static one => one.GetParameters().All(static parameter => parameter.IsOptional));
        return constructor?.Invoke([.. constructor.GetParameters().Select(static parameter => parameter.DefaultValue)]);
    }

    private static Delegate Function(Type type)
    {
        MethodInfo invoke = type.GetMethod("Invoke")!;
        return Expression.Lambda(type, Expression.Default(invoke.ReturnType),
            invoke.GetParameters().Select(static parameter => Expression.Parameter(parameter.ParameterType))).Compile();
    }

    private static object Blank(object value)
    {
        s_blank.Add(value);
        return value;
    }

    /// <summary>Returns the default of each member.</summary>
    public class Nothing : DispatchProxy
    {
        /// <inheritdoc/>
        protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) =>
            targetMethod!.ReturnType is { IsValueType: true } type && type != typeof(void) ? Activator.CreateInstance(type) : null;
    }
}
