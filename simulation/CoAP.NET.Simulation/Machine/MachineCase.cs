namespace CoAP.NET.Simulation.Machine;

/// <summary>
/// One fault of the machine: what is done to a process, and what has to become of the endpoints in it. Each runs in a process of its own.
/// </summary>
internal abstract class MachineCase(string name, string fault, string did)
{
    /// <summary>All of them, in the order of the table.</summary>
    public static IReadOnlyList<MachineCase> All { get; } =
    [
        new Cases.DescriptorsCase(isPortable: false),
        new Cases.DescriptorsCase(isPortable: true),
        new Cases.FirstUseCase(),
        new Cases.SendBufferCase(isPortable: false),
        new Cases.SendBufferCase(isPortable: true),
        new Cases.LinkDownCase(isPortable: false),
        new Cases.LinkDownCase(isPortable: true),
        new Cases.AddressGoneCase("10.9.0."),
        new Cases.AddressGoneCase("fd00:9::"),
        new Cases.ClientMovesCase(),
        new Cases.GroupCase(),
        new Cases.NoRouteCase(),
        new Cases.MtuCase(),
        new Cases.NoIPv6Case(),
        new Cases.PortInUseCase(),
        new Cases.ReadOnlyCase(),
        new Cases.PoolCase(isPortable: false),
        new Cases.PoolCase(isPortable: true),
        new Cases.ThreadsCase(),
        new Cases.MemoryCase(),
        new Cases.PauseCase(),
        new Cases.ClosedDescriptorCase(ClosedDescriptor.Udp, isPortable: false),
        new Cases.ClosedDescriptorCase(ClosedDescriptor.Udp, isPortable: true),
        new Cases.ClosedDescriptorCase(ClosedDescriptor.Listener, isPortable: false),
        new Cases.ClosedDescriptorCase(ClosedDescriptor.Epoll, isPortable: false),
    ];

    /// <summary>Its word on the command line.</summary>
    public string Name => name;

    /// <summary>The fault, for the table.</summary>
    public string Fault => fault;

    /// <summary>What is done, for the table.</summary>
    public string Did => did;

    /// <summary>What a shell does before it becomes the process: its last command has <c>"$@"</c> at its end. Null for nothing.</summary>
    public virtual string? Shell => null;

    /// <summary>Variables of the process; null takes one away.</summary>
    public virtual IReadOnlyDictionary<string, string?> Variables => new Dictionary<string, string?>();

    /// <summary>Does it. What it throws is a failure.</summary>
    public abstract Task RunAsync(MachineFindings findings);
}
