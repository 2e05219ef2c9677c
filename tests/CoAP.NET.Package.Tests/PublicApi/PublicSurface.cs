using System.Globalization;
using System.Reflection;
using System.Text;

namespace CoAP.NET.Package.Tests.PublicApi;

/// <summary>
/// Writes down what users of an assembly can reach: a line for each type and member, in an order that does not depend on the source.
/// </summary>
internal static class PublicSurface
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static
        | BindingFlags.DeclaredOnly;

    public static string Of(Assembly assembly)
    {
        StringBuilder text = new();
        foreach (Type type in assembly.GetTypes().Where(IsVisible).OrderBy(type => type.FullName, StringComparer.Ordinal))
        {
            text.Append(Head(type)).Append('\n');
            foreach (string line in Members(type).Order(StringComparer.Ordinal))
            {
                text.Append("    ").Append(line).Append('\n');
            }
        }

        return text.ToString();
    }

    // Extension blocks are nested types with names that C# cannot say; their members are listed with the class.
    private static bool IsVisible(Type type) => type.Name[0] != '<' && (
        type.IsNested
            ? (type.IsNestedPublic || type.IsNestedFamily || type.IsNestedFamORAssem) && IsVisible(type.DeclaringType!)
            : type.IsPublic);

    private static string Head(Type type)
    {
        string kind = type switch
        {
            { IsEnum: true } => "enum",
            { IsValueType: true } =>
                $"{(type.IsDefined(typeof(System.Runtime.CompilerServices.IsReadOnlyAttribute), false) ? "readonly " : string.Empty)}{(type.IsByRefLike ? "ref " : string.Empty)}struct",
            { IsInterface: true } => "interface",
            { IsAbstract: true, IsSealed: true } => "static class",
            { IsAbstract: true } => "abstract class",
            { IsSealed: true } => typeof(Delegate).IsAssignableFrom(type) ? "delegate" : "sealed class",
            _ => "class",
        };
        Type[] bases = type.IsEnum
            ? [Enum.GetUnderlyingType(type)]
            : [.. type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType)
                && parent != typeof(MulticastDelegate) ? [parent] : Type.EmptyTypes, .. Interfaces(type)];
        string inherits = bases.Length == 0 ? string.Empty : " : " + string.Join(", ", bases.Select(TypeNames.Of));
        return $"{kind} {type.Namespace}.{TypeNames.Of(type)}{inherits}{TypeNames.Constraints(type.GetGenericArguments())}";
    }

    private static IEnumerable<Type> Interfaces(Type type) =>
        type.GetInterfaces().Where(face => face.IsVisible)
            .Where(face => type.BaseType is null || !type.BaseType.GetInterfaces().Contains(face))
            .OrderBy(TypeNames.Of, StringComparer.Ordinal);

    private static IEnumerable<string> Members(Type type)
    {
        if (type.IsEnum)
        {
            return Enum.GetNames(type)
                .Select(name => $"{name} = {Convert.ToDecimal(Enum.Parse(type, name), CultureInfo.InvariantCulture)}");
        }

        if (typeof(Delegate).IsAssignableFrom(type))
        {
            return [Method(type.GetMethod("Invoke")!)];
        }

        return
        [
            .. type.GetConstructors(Declared).Where(IsReachable).Select(constructor => $"new({Parameters(constructor)})"),
            .. type.GetFields(Declared).Where(field => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly).Select(Field),
            .. type.GetProperties(Declared).Where(property => property.GetAccessors(true).Any(IsReachable)).Select(Property),
            .. type.GetEvents(Declared).Where(item => IsReachable(item.AddMethod!))
                .Select(item => $"event {TypeNames.Of(item.EventHandlerType!)} {item.Name}"),
            .. type.GetNestedTypes(Declared).Where(block => block.Name.StartsWith("<G>$", StringComparison.Ordinal))
                .SelectMany(ExtensionMembers),
            .. type.GetMethods(Declared)
                .Where(method => IsReachable(method) && (!method.IsSpecialName || method.Name.StartsWith("op_", StringComparison.Ordinal)))
                .Select(Method),
        ];
    }

    /// <summary>The members of an extension block, with the type that they extend: the compiler keeps both in nested types.</summary>
    private static IEnumerable<string> ExtensionMembers(Type block)
    {
        Type extended = block.GetNestedTypes(Declared).Select(marker => marker.GetMethod("<Extension>$", Declared)!).First()
            .GetParameters()[0].ParameterType;
        return block.GetMethods(Declared).Where(method => method.IsPublic)
            .Select(method => $"extension({TypeNames.Of(extended)}) {Method(method)}");
    }

    private static bool IsReachable(MethodBase method) => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;

    private static string Field(FieldInfo field) => field.IsLiteral
        ? $"const {TypeNames.Of(field.FieldType)} {field.Name} = {Literal(field.GetRawConstantValue())}"
        : $"{(field.IsStatic ? "static " : string.Empty)}{(field.IsInitOnly ? "readonly " : string.Empty)}{TypeNames.Of(field.FieldType, new NullabilityInfoContext().Create(field))} {field.Name}";

    private static string Property(PropertyInfo property)
    {
        MethodInfo any = property.GetAccessors(true).First(IsReachable);
        string Accessor(MethodInfo? method, string word) =>
            method is null || !IsReachable(method) ? string.Empty : $" {(method.IsPublic ? string.Empty : "protected ")}{word};";
        bool isInit = property.SetMethod?.ReturnParameter.GetRequiredCustomModifiers()
            .Any(modifier => modifier.Name == "IsExternalInit") == true;
        bool isRequired = property.IsDefined(typeof(System.Runtime.CompilerServices.RequiredMemberAttribute), false);
        string name = property.GetIndexParameters() is { Length: > 0 }
            ? $"this[{Parameters(property.GetIndexParameters())}]"
            : property.Name;
        return $"{Modifiers(any)}{(isRequired ? "required " : string.Empty)}{TypeNames.Of(property.PropertyType, new NullabilityInfoContext().Create(property))} {name} {{{Accessor(property.GetMethod, "get")}{Accessor(property.SetMethod, isInit ? "init" : "set")} }}";
    }

    private static string Method(MethodInfo method) =>
        $"{Modifiers(method)}{TypeNames.Of(method.ReturnType, new NullabilityInfoContext().Create(method.ReturnParameter))} {method.Name}{TypeNames.Arguments(method.GetGenericArguments())}({Parameters(method)}){TypeNames.Constraints(method.GetGenericArguments())}";

    private static string Modifiers(MethodInfo method)
    {
        string access = method.IsPublic ? string.Empty : "protected ";
        if (method.IsStatic)
        {
            return access + "static ";
        }

        bool isOverride = method.GetBaseDefinition() != method;
        return access + (method.DeclaringType!.IsInterface ? (method.IsAbstract ? string.Empty : "virtual ")
            : isOverride ? (method.IsFinal ? "sealed override " : "override ")
            : method.IsAbstract ? "abstract "
            : method.IsVirtual && !method.IsFinal ? "virtual " : string.Empty);
    }

    private static string Parameters(MethodBase method)
    {
        string self = method.IsDefined(typeof(System.Runtime.CompilerServices.ExtensionAttribute), false) ? "this " : string.Empty;
        return self + Parameters(method.GetParameters());
    }

    private static string Parameters(ParameterInfo[] parameters) => string.Join(", ", parameters.Select(parameter =>
    {
        string way = parameter.IsOut ? "out " : parameter.ParameterType.IsByRef ? (parameter.IsIn ? "in " : "ref ") : string.Empty;
        string many = parameter.IsDefined(typeof(ParamArrayAttribute), false)
            || parameter.IsDefined(typeof(System.Runtime.CompilerServices.ParamCollectionAttribute), false) ? "params " : string.Empty;
        string fallback = parameter.HasDefaultValue ? $" = {Literal(parameter.RawDefaultValue)}" : string.Empty;
        return $"{many}{way}{TypeNames.Of(parameter.ParameterType, new NullabilityInfoContext().Create(parameter))} {parameter.Name}{fallback}";
    }));

    private static string Literal(object? value) => value switch
    {
        null => "default",
        string text => $"\"{text}\"",
        bool flag => flag ? "true" : "false",
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString() ?? string.Empty,
    };
}
