using System.Reflection;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>The limits that an application starts from.</summary>
public sealed class LimitPresetTests
{
    private const BindingFlags Own = BindingFlags.Public | BindingFlags.Instance;

    public static TheoryData<string> Presets => [nameof(CoapLimits.Default), nameof(CoapLimits.Small), nameof(CoapLimits.Gateway)];

    [Theory]
    [MemberData(nameof(Presets))]
    public async Task A_server_serves_bodies_and_observers_with_each_preset(string name)
    {
        await using CoapEndpointPair pair = new(options => options.Limits = Of(name));
        byte[] body = new byte[100_000];
        body.AsSpan().Fill(7);
        pair.Server.MapPut("/body", request => $"{request.Payload.Length}");
        pair.Server.MapGet("/body", () => CoapResults.Bytes(body)).Observable();
        await pair.StartAsync();

        CoapResponse put = await pair.RunAsync(() => pair.Client.PutAsync($"{CoapEndpointPair.Address}/body", CoapContent.Binary(body)));
        put.Says("100000");
        await using CoapObservation observation =
            await pair.RunAsync(() => pair.Client.ObserveAsync($"{CoapEndpointPair.Address}/body"));
        Assert.Equal(body.Length, (await pair.RunAsync(async () => await observation.ReadAllAsync().FirstAsync())).Payload.Length);
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Theory]
    [MemberData(nameof(Presets))]
    public void Each_use_of_a_preset_is_a_new_instance(string name)
    {
        CoapLimits changed = Of(name);
        changed.Peers.MaxCount = 7;
        changed.Peers.TrustedPrefixes.Clear();

        Assert.Equal(new CoapLimits().Peers.MaxCount, Of(name).Peers.MaxCount);
        Assert.Equal(2, Of(name).Peers.TrustedPrefixes.Count);
    }

    // Whatever has a share per source, and the peers behind one address.
    [Fact]
    public void The_Gateway_preset_gives_a_single_source_all_places_and_all_memory()
    {
        CoapLimits limits = CoapLimits.Gateway;

        Assert.All(LimitPaths.All.Where(static path => path.EndsWith(".MaxSourceFraction", Ordinal)),
            path => Assert.Equal(1.0, LimitPaths.ValueOf(limits, path)), throwIfEmpty: true);
        Assert.Equal(limits.Peers.MaxCount, limits.Peers.MaxVerifiedPerSource);
        Assert.Equal(limits.Connections.MaxCount, limits.Connections.MaxCountPerSource);
        Assert.Equal(limits.Connections.MaxHandshakes, limits.Connections.MaxHandshakesPerSource);
        Assert.Equal(limits.Observe.MaxObservers, limits.Observe.MaxObserversPerPeer);
        Assert.Equal(limits.Observe.MaxObservers, limits.Observe.MaxUnverifiedObserversPerSource);
    }

    [Theory]
    [InlineData(nameof(CoapLimits.Default), false)]
    [InlineData(nameof(CoapLimits.Gateway), true)]
    public async Task The_Gateway_preset_serves_a_source_beyond_the_default_share(string name, bool isServed)
    {
        CoapLimits limits = Of(name);
        limits.Blockwise.ResponseMemory = 100_000;
        limits.Peers.TrustedPrefixes.Add(System.Net.IPNetwork.Parse("2001:db8::/32"));
        await using CoapEndpointPair pair = new(options => options.Limits = limits);
        pair.Server.MapGet("/body", () => CoapResults.Bytes(new byte[50_000]));
        await pair.StartAsync();

        CoapResponse response = await pair.RunAsync(() => pair.Client.GetAsync($"{CoapEndpointPair.Address}/body"));

        Assert.Equal(isServed, response.Code == CoapCode.Content);
    }

    // What a user first sees of an endpoint: a few settings, and groups for the rest.
    [Fact]
    public void The_endpoint_options_have_at_most_ten_settings_beside_their_groups()
    {
        PropertyInfo[] groups = [.. typeof(CoapEndpointOptions).GetProperties(Own)
            .Where(static property => !property.CanWrite || property.PropertyType == typeof(CoapLimits))];

        Assert.Equal(["Limits", "Pipeline", "Processes", "Telemetry", "Transports"], groups.Select(static group => group.Name).Order());
        Assert.InRange(typeof(CoapEndpointOptions).GetProperties(Own).Length - groups.Length, 1, 10);
        Assert.All(typeof(CoapLimits).GetProperties(Own),
            static group => Assert.InRange(group.PropertyType.GetProperties(Own).Length, 1, 12), throwIfEmpty: true);
    }

    private static CoapLimits Of(string name) => (CoapLimits)typeof(CoapLimits).GetProperty(name)!.GetValue(null)!;
}
