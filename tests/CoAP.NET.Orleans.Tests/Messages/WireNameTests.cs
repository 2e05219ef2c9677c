using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using CoAP.NET.Cluster.Tables;
using CoAP.NET.Orleans.Slots;
using CoAP.NET.Tables;
using Orleans.CodeGeneration;
using Orleans.Metadata;
using Orleans.Placement;
using Orleans.Serialization.Invocation;
using Orleans.Services;

namespace CoAP.NET.Orleans.Tests.Messages;

/// <summary>What silos call interfaces, methods and messages. Silos of two versions find each other's by these names and numbers.</summary>
public sealed class WireNameTests(SiloServices silo) : IClassFixture<SiloServices>
{
    // Names and numbers are kept. A new one gets a line; a removed one is never used again for something else.
    private const string Approved = """
        grain coap.device placed by PreferLocalPlacement, directory of Orleans
        grain coap.slot placed by coap.slots, directory coap.slots
        interface coap.device version 1
        interface coap.device.directory version 1
        interface coap.devices version 0
        interface coap.node version 0
        interface coap.slot version 1
        message coap.device.answer, 0 coap.response, 1 System.Nullable`1[[byte]], 2 string, 3 string, 4 bool, 5 System.Nullable`1[[DateTimeOffset]], 6 bool
        message coap.device.arrival, 0 bool, 1 Orleans.Runtime.SiloAddress,Orleans.Core.Abstractions
        message coap.device.location, 0 Orleans.Runtime.SiloAddress,Orleans.Core.Abstractions, 1 bool
        message coap.device.resource, 0 System.ReadOnlyMemory`1[[byte]], 1 System.Nullable`1[[TimeSpan]], 2 TimeSpan
        message coap.device.resource-state, 0 byte, 1 coap.device.answer
        message coap.device.sighting, 0 TimeSpan, 1 DateTimeOffset, 2 bool, 3 Guid, 4 long
        message coap.node.datagram, 0 System.ReadOnlyMemory`1[[byte]], 1 long, 2 System.Nullable`1[[byte]], 3 coap.node.ip-address, 4 Guid, 5 System.ReadOnlyMemory`1[[byte]]
        message coap.node.ip-address, 0 ulong, 1 ulong, 2 ushort, 3 uint
        message coap.node.outbox-addition, 0 coap.node.queued-request, 1 byte, 2 string
        message coap.node.outbox-outcome, 0 System.ReadOnlyMemory`1[[byte]], 1 byte, 2 string
        message coap.node.outbox-request, 0 Guid, 1 string, 2 string, 3 DateTimeOffset, 4 bool, 5 System.ReadOnlyMemory`1[[byte]]
        message coap.node.queued-request, 0 Guid, 1 string, 2 byte, 3 string, 4 string, 5 DateTimeOffset, 6 DateTimeOffset, 7 bool
        message coap.node.relay-path, 0 ulong, 1 byte[], 2 coap.node.ip-address[]
        message coap.node.resumption-key, 0 byte, 1 System.ReadOnlyMemory`1[[byte]]
        message coap.node.table-answer, 0 byte, 1 System.ReadOnlyMemory`1[[byte]], 2 string, 3 byte, 4 TimeSpan, 5 bool
        message coap.node.table-change, 0 byte, 1 byte, 2 long, 3 long, 4 long, 5 byte[][]
        message coap.node.table-question, 0 Guid, 1 byte, 2 byte[], 3 System.ReadOnlyMemory`1[[byte]]
        message coap.request, 0 System.ReadOnlyMemory`1[[byte]], 1 bool, 2 System.Nullable`1[[TimeSpan]]
        message coap.response, 0 System.ReadOnlyMemory`1[[byte]]
        request ("inv",[GrainRef],[coap.device.directory],"arrived")
        request ("inv",[GrainRef],[coap.device.directory],"departed")
        request ("inv",[GrainRef],[coap.device.directory],"find")
        request ("inv",[GrainRef],[coap.device.directory],"when-arrived")
        request ("inv",[GrainRef],[coap.device],"send")
        request ("inv",[GrainRef],[coap.devices],"drop")
        request ("inv",[GrainRef],[coap.devices],"end-observation")
        request ("inv",[GrainRef],[coap.devices],"find")
        request ("inv",[GrainRef],[coap.devices],"forget")
        request ("inv",[GrainRef],[coap.devices],"observe")
        request ("inv",[GrainRef],[coap.devices],"send")
        request ("inv",[GrainRef],[coap.devices],"when-awake")
        request ("inv",[GrainRef],[coap.node],"ask-table")
        request ("inv",[GrainRef],[coap.node],"cancel-request")
        request ("inv",[GrainRef],[coap.node],"get-queued-requests")
        request ("inv",[GrainRef],[coap.node],"get-table-positions")
        request ("inv",[GrainRef],[coap.node],"offer-relay-path")
        request ("inv",[GrainRef],[coap.node],"queue-request")
        request ("inv",[GrainRef],[coap.node],"relay-datagrams")
        request ("inv",[GrainRef],[coap.node],"relay-oscore")
        request ("inv",[GrainRef],[coap.node],"remove-resumptions")
        request ("inv",[GrainRef],[coap.node],"report-resource-changes")
        request ("inv",[GrainRef],[coap.node],"report-table-changes")
        request ("inv",[GrainRef],[coap.node],"return-datagrams")
        request ("inv",[GrainRef],[coap.node],"return-oscore")
        request ("inv",[GrainRef],[coap.node],"wait-for-request")
        request ("inv",[GrainRef],[coap.slot],"activate")
        response Orleans.Serialization.Invocation.Response`1[[System.Nullable`1[[bool]]]],Orleans.Serialization
        response Orleans.Serialization.Invocation.Response`1[[System.Nullable`1[[coap.device.sighting]]]],Orleans.Serialization
        response Orleans.Serialization.Invocation.Response`1[[coap.device.answer]],Orleans.Serialization
        response Orleans.Serialization.Invocation.Response`1[[coap.device.arrival]],Orleans.Serialization
        response Orleans.Serialization.Invocation.Response`1[[coap.device.location]],Orleans.Serialization
        response Orleans.Serialization.Invocation.Response`1[[coap.device.resource-state]],Orleans.Serialization
        response Orleans.Serialization.Invocation.Response`1[[coap.node.outbox-addition]],Orleans.Serialization
        response Orleans.Serialization.Invocation.Response`1[[coap.node.outbox-outcome]],Orleans.Serialization
        response Orleans.Serialization.Invocation.Response`1[[coap.node.queued-request[]]],Orleans.Serialization
        response Orleans.Serialization.Invocation.Response`1[[coap.node.relay-path]],Orleans.Serialization
        response Orleans.Serialization.Invocation.Response`1[[coap.node.table-answer]],Orleans.Serialization
        response Orleans.Serialization.Invocation.Response`1[[coap.node.table-change[]]],Orleans.Serialization
        service sys.svc.user.5F983406
        service sys.svc.user.85F07900
        value CoapDeviceFault 0 Full
        value CoapDeviceFault 1 TooLarge
        value CoapDeviceFault 2 Expired
        value CoapDeviceFault 3 Cancelled
        value CoapDeviceFault 4 PerhapsSent
        value CoapDeviceFault 5 Failed
        value CoapDeviceFault 6 Forgotten
        value CoapDeviceFault 7 Unknown
        value CoapDeviceFault 8 Asleep
        value CoapDeviceFault 9 Unreachable
        value CoapObserveState 0 Registering
        value CoapObserveState 1 Observing
        value CoapObserveState 2 NotObserving
        value CoapObserveState 3 Stale
        value CoapObserveState 4 Reregistering
        value CoapObserveState 5 Failed
        value CoapObserveState 6 Cancelled
        value CoapTableUnavailableReason 0 NotReached
        value CoapTableUnavailableReason 1 NotConfirmed
        value CoapTableUnavailableReason 2 Busy
        value CoapTableUnavailableReason 3 Full
        value TableAnswerKind 0 Reply
        value TableAnswerKind 1 Moved
        value TableAnswerKind 2 Failed
        value TableAnswerKind 3 Unavailable
        """;

    private static readonly Assembly s_assembly = typeof(SlotGrain).Assembly;

    private static IEnumerable<Type> Interfaces =>
        s_assembly.GetTypes().Where(type => type.IsInterface && type.IsAssignableTo(typeof(IAddressable)));

    private static IEnumerable<Type> Requests => s_assembly.GetTypes().Where(type =>
        type is { IsAbstract: false, IsClass: true } && type.IsAssignableTo(typeof(IInvokable)));

    private static IEnumerable<Type> Grains => s_assembly.GetTypes().Where(type =>
        type is { IsAbstract: false, IsClass: true } && type.IsAssignableTo(typeof(Grain)));

    // Those that are marked, and what methods and other messages have.
    private static IEnumerable<Type> Messages
    {
        get
        {
            Queue<Type> open = new(s_assembly.GetTypes().Where(type => type.IsDefined(typeof(GenerateSerializerAttribute)))
                .Concat(Interfaces.SelectMany(type => type.GetMethods()).SelectMany(method =>
                    method.GetParameters().Select(parameter => parameter.ParameterType).Append(method.ReturnType))));
            HashSet<Type> seen = [];
            while (open.TryDequeue(out Type? type))
            {
                foreach (Type part in type.IsArray ? [type.GetElementType()!] : type.IsGenericType ? type.GetGenericArguments() : [])
                {
                    open.Enqueue(part);
                }

                if (!type.IsArray && type.Assembly.GetName().Name!.StartsWith("CoAP.NET", Ordinal) && seen.Add(OnWire(type)))
                {
                    foreach (FieldInfo member in FieldsOf(OnWire(type)))
                    {
                        open.Enqueue(member.FieldType);
                    }
                }
            }

            return seen;
        }
    }

    // Types of other assemblies, and what silos send in their place.
    private static Dictionary<Type, Type> Surrogates { get; } = s_assembly.GetTypes()
        .Where(type => type.IsDefined(typeof(RegisterConverterAttribute)))
        .Select(type => type.GetInterfaces().Single().GetGenericArguments())
        .ToDictionary(static types => types[0], static types => types[1]);

    [Fact]
    public void Each_grain_interface_has_an_alias_for_itself_and_each_method()
    {
        Assert.NotEmpty(Interfaces);
        Assert.All(Interfaces, type =>
        {
            Assert.NotNull(type.GetCustomAttribute<AliasAttribute>());
            Assert.All(type.GetMethods(), method => Assert.NotNull(method.GetCustomAttribute<AliasAttribute>()));
        });
    }

    [Fact]
    public void Each_interface_of_a_grain_that_Orleans_places_has_a_version() => Assert.All(
        Interfaces.Where(type => !type.IsAssignableTo(typeof(IGrainService))),
        type => Assert.NotNull(type.GetCustomAttribute<VersionAttribute>()), throwIfEmpty: true);

    [Fact]
    public void Each_message_has_an_alias_and_each_member_a_number()
    {
        Assert.NotEmpty(Messages);
        Assert.All(Messages, type =>
        {
            Assert.True(type.IsDefined(typeof(GenerateSerializerAttribute)), $"{type} has no GenerateSerializer.");
            Assert.NotNull(type.GetCustomAttribute<AliasAttribute>());
            Assert.All(FieldsOf(type), field => Assert.NotNull(IdOf(field)));
        });
    }

    [Fact]
    public void Each_grain_and_each_placement_has_a_name_that_is_not_that_of_a_type()
    {
        Assert.NotEmpty(Grains);
        Assert.All(Grains, type => Assert.NotNull(type.GetCustomAttribute<GrainTypeAttribute>()));
        Assert.All(s_assembly.GetTypes().Where(type => !type.IsAbstract && type.IsAssignableTo(typeof(PlacementStrategy))),
            type => Assert.NotEqual(type.Name, PlacementOf((PlacementStrategy)Activator.CreateInstance(type)!)), throwIfEmpty: true);
    }

    [Fact]
    public void The_names_and_numbers_between_silos_are_those_that_were_approved()
    {
        string[] names = [.. NamesBetweenSilos().Distinct().Order(StringComparer.Ordinal)];
        Assert.Equal(Approved.ReplaceLineEndings("\n"), string.Join('\n', names));

        // No name of a type, of its namespace or of its assembly.
        Assert.All(s_assembly.GetTypes().Where(type => !type.IsDefined(typeof(CompilerGeneratedAttribute))),
            type => Assert.DoesNotContain(names, name => name.Contains(type.Name, Ordinal) && !name.StartsWith("value ", Ordinal)));
        Assert.DoesNotContain(names, name => name.Contains("CoAP", Ordinal));
    }

    private IEnumerable<string> NamesBetweenSilos()
    {
        foreach (Type type in Interfaces)
        {
            GrainInterfaceType name = silo.Interfaces.GetGrainInterfaceType(type);
            silo.Manifest.Interfaces.TryGetValue(name, out GrainInterfaceProperties? properties);
            yield return $"interface {name} version "
                + properties?.Properties.GetValueOrDefault(WellKnownGrainInterfaceProperties.Version, "0");
            foreach (MethodInfo method in type.GetMethods().Where(method => method.ReturnType.IsGenericType))
            {
                Type response = typeof(Response<>).MakeGenericType(method.ReturnType.GetGenericArguments());
                yield return $"response {silo.Types.Format(response)}";
            }
        }

        // Orleans makes it of the name of the interface.
        foreach (GrainId service in silo.ServicesOf(SiloAddress.New(IPAddress.Loopback, 1, 1)))
        {
            yield return $"service {service.Type}";
        }

        foreach (Type type in Requests)
        {
            yield return $"request {silo.Types.Format(type)}";
        }

        foreach (Type type in Grains)
        {
            GrainType name = type.GetCustomAttribute<GrainTypeAttribute>()!.GetGrainType(null!, type);
            GrainProperties properties = silo.Manifest.Grains[name];
            yield return $"grain {name} placed by {properties.Properties[WellKnownGrainTypeProperties.PlacementStrategy]}, directory "
                + properties.Properties.GetValueOrDefault(WellKnownGrainTypeProperties.GrainDirectory, "of Orleans");
        }

        foreach (Type type in Messages)
        {
            yield return $"message {silo.Types.Format(type)}" + string.Concat(FieldsOf(type)
                .Select(field => (Id: IdOf(field), Type: silo.Types.Format(OnWire(field.FieldType)))).OrderBy(member => member.Id)
                .Select(member => string.Create(CultureInfo.InvariantCulture, $", {member.Id} {member.Type}")));
        }

        Enum[] values = [.. Enum.GetValues<TableAnswerKind>().Cast<Enum>(), .. Enum.GetValues<CoapTableUnavailableReason>().Cast<Enum>(),
            .. Enum.GetValues<CoapDeviceFault>().Cast<Enum>(), .. Enum.GetValues<CoapObserveState>().Cast<Enum>()];
        foreach (Enum value in values)
        {
            yield return $"value {value.GetType().Name} {value:D} {value}";
        }
    }

    private static Type OnWire(Type type) => Surrogates.GetValueOrDefault(type, type);

    private static string PlacementOf(PlacementStrategy placement)
    {
        Dictionary<string, string> properties = [];
        placement.PopulateGrainProperties(null!, typeof(SlotGrain), default, properties);
        return properties[WellKnownGrainTypeProperties.PlacementStrategy];
    }

    private static FieldInfo[] FieldsOf(Type type) =>
        type.IsEnum ? [] : type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);

    // Of the field, or of the property whose value it has.
    private static uint? IdOf(FieldInfo field)
    {
        const BindingFlags All = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
        MemberInfo member = field.Name is ['<', .. string rest]
            ? field.DeclaringType!.GetProperty(rest[..rest.IndexOf('>', Ordinal)], All)!
            : field;
        return member.GetCustomAttribute<IdAttribute>()?.Id;
    }
}
