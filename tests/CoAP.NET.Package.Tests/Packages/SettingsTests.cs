using System.Reflection;
using System.Reflection.Emit;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Settings;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>Options of all libraries are read-only once something uses them.</summary>
public sealed class SettingsTests
{
    private const BindingFlags All =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;

    // Changes of these apply to what uses them, at once.
    private static readonly HashSet<string> s_live = ["CoapResourceObserverLimits"];

    public static TheoryData<string> Libraries => ExceptionDocumentationTests.Libraries;

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Public_options_are_settings(string library) => Assert.Empty(
        from type in Assembly.Load(library).GetExportedTypes()
        where type.IsClass && (type.Name.EndsWith("Options", Ordinal) || type.Name.EndsWith("Limits", Ordinal)
            || type.Name.EndsWith("Settings", Ordinal))
        where type.GetProperties().Any(IsSettable) && !type.IsAssignableTo(typeof(ISettings)) && !s_live.Contains(type.Name)
        select type.Name);

    [Theory]
    [MemberData(nameof(Libraries))]
    public void Settings_in_use_refuse_each_change_and_the_error_names_the_property(string library)
    {
        foreach (Type type in Assembly.Load(library).GetTypes().Where(static type =>
            type is { IsClass: true, IsAbstract: false, IsGenericType: false } && type.IsAssignableTo(typeof(ISettings))))
        {
            ISettings settings = (ISettings)Activator.CreateInstance(type, nonPublic: true)!;
            settings.MakeReadOnly("a test");
            foreach (PropertyInfo property in type.GetProperties(BindingFlags.Public | BindingFlags.Instance))
            {
                if (IsSettable(property))
                {
                    Exception? refused = Record.Exception(() => property.SetValue(settings, property.GetValue(settings)));
                    Assert.True(refused is TargetInvocationException { InnerException: InvalidOperationException },
                        $"{type.Name}.{property.Name} can be changed.");
                    refused.InnerException.Mentions($".{property.Name} cannot be changed any more: a test uses these options.");
                }
                else if (ClearOf(property.PropertyType) is { } clear)
                {
                    Exception? refused = Record.Exception(() => clear.Invoke(property.GetValue(settings), null));
                    Assert.True(refused is TargetInvocationException { InnerException: InvalidOperationException },
                        $"{type.Name}.{property.Name} can be changed.");
                }
                else if (property.GetValue(settings) is ISettings inner)
                {
                    Assert.All(inner.GetType().GetProperties().Where(IsSettable), one => Assert.Throws<TargetInvocationException>(
                        () => one.SetValue(inner, one.GetValue(inner))));
                }
            }
        }
    }

    [Fact]
    public void Something_makes_each_class_of_settings_read_only()
    {
        Assembly[] libraries = [.. ExceptionDocumentationTests.Libraries.Select(static library => Assembly.Load((string)library.Data))];
        HashSet<Type> used = [.. libraries.SelectMany(static library => library.GetTypes()).SelectMany(static type => type.GetMethods(All)
            .Cast<MethodBase>().Concat(type.GetConstructors(All))).SelectMany(UsedIn)];
        for (Queue<Type> left = new(used); left.TryDequeue(out Type? type);)
        {
            foreach (Type inner in type.GetProperties(All).Select(static property => property.PropertyType).Where(used.Add))
            {
                left.Enqueue(inner);
            }
        }

        Type[] makers = [.. used.Where(static one => one.IsClass && one.IsAssignableTo(typeof(ISettings)))];
        string[] unused =
        [
            .. libraries.SelectMany(static library => library.GetTypes())
                .Where(type => type is { IsClass: true, IsAbstract: false, IsGenericType: false } && type.IsAssignableTo(typeof(ISettings))
                    && !makers.Any(type.IsAssignableTo))
                .Select(static type => type.Name),
        ];
        Assert.Empty(unused);
    }

    // Settings that a method makes read-only, other than those inside of its own.
    private static IEnumerable<Type> UsedIn(MethodBase method)
    {
        if (method.GetMethodBody()?.GetILAsByteArray() is not { } code || method.Name == nameof(ISettings.MakeReadOnly))
        {
            yield break;
        }

        Type[]? ofType = method.DeclaringType!.IsGenericType ? method.DeclaringType.GetGenericArguments() : null;
        Type[]? ofMethod = method.IsGenericMethod ? method.GetGenericArguments() : null;
        foreach ((OpCode instruction, int token) in IntermediateCode.Instructions(code))
        {
            if ((instruction == OpCodes.Call || instruction == OpCodes.Callvirt)
                && method.Module.ResolveMethod(token, ofType, ofMethod) is MethodInfo called)
            {
                if (called.Name == "MakeReadOnlyFor" && called.IsGenericMethod)
                {
                    yield return called.GetGenericArguments()[0];
                }
                else if (called.Name == nameof(ISettings.MakeReadOnly))
                {
                    yield return called.DeclaringType!;
                }
            }
        }
    }

    // Lists, sets and dictionaries. Collections of certificates are copied instead: they are types of .NET.
    private static MethodInfo? ClearOf(Type type) => type.IsArray || type.IsAssignableTo(typeof(X509CertificateCollection)) ? null
        : type.GetInterfaces().Append(type)
            .FirstOrDefault(static one => one.IsGenericType && one.GetGenericTypeDefinition() == typeof(ICollection<>))?
            .GetMethod(nameof(ICollection<>.Clear));

    // Settable after the object was made.
    private static bool IsSettable(PropertyInfo property) => property.SetMethod is { IsPublic: true } set && !set.ReturnParameter
        .GetRequiredCustomModifiers().Contains(typeof(System.Runtime.CompilerServices.IsExternalInit));
}
