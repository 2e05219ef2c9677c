using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>TD_COAP_CORE of the ETSI plugtests, our side as the server. 24 to 30 are about proxies.</summary>
public class ServerCoreTests : PlugtestServer
{
    private const string TestResource = "'This is a test resource.'";

    [Fact]
    public void CORE_01_a_Confirmable_GET_gets_the_representation_in_the_acknowledgement() =>
        Exchange("42 01 aa01 62da b4 'test'", $"62 45 aa01 62da c0 ff {TestResource}");

    [Fact]
    public void CORE_02_a_Confirmable_DELETE_gets_2_02_in_the_acknowledgement() =>
        Exchange("42 04 aa02 62da b4 'test'", "62 42 aa02 62da");

    [Fact]
    public void CORE_03_a_Confirmable_PUT_changes_or_creates_the_resource()
    {
        Exchange("42 03 aa03 62da b4 'test' 10 ff 'changed'", "62 44 aa03 62da");
        Exchange("42 01 aa04 62da b4 'test'", "62 45 aa04 62da c0 ff 'changed'");
        Exchange("42 04 aa05 62da b4 'test'", "62 42 aa05 62da");
        Exchange("42 03 aa06 62da b4 'test' 10 ff 'anew'", "62 41 aa06 62da");
    }

    [Fact]
    public void CORE_04_a_Confirmable_POST_gets_2_01_with_the_location() =>
        Exchange("42 02 aa04 62da b4 'test' 10 ff 'x'", "62 41 aa04 62da 89 'location1' 09 'location2' 09 'location3'");

    [Fact]
    public void CORE_05_a_Non_confirmable_GET_gets_a_Non_confirmable_response() =>
        Exchange("52 01 a103 62da b4 'test'", $"52 45 ???? 62da c0 ff {TestResource}");

    [Fact]
    public void CORE_06_a_Non_confirmable_DELETE_gets_2_02_in_a_Non_confirmable_response() =>
        Exchange("52 04 a103 62da b4 'test'", "52 42 ???? 62da");

    [Fact]
    public void CORE_07_a_Non_confirmable_PUT_gets_2_04_in_a_Non_confirmable_response() =>
        Exchange("52 03 a103 62da b4 'test' 10 ff 'changed'", "52 44 ???? 62da");

    [Fact]
    public void CORE_08_a_Non_confirmable_POST_gets_2_01_in_a_Non_confirmable_response() =>
        Exchange("52 02 a103 62da b4 'test' 10 ff 'x'", "52 41 ???? 62da 89 'location1' 09 'location2' 09 'location3'");

    [Fact]
    public void CORE_09_a_slow_request_gets_an_empty_acknowledgement_and_a_separate_response() => SeparateResponse("40", string.Empty);

    [Fact]
    public void CORE_10_a_token_of_eight_bytes_is_returned_in_the_response() =>
        Exchange("48 01 aa10 0102030405060708 b4 'test'", $"68 45 aa10 0102030405060708 c0 ff {TestResource}");

    [Fact]
    public void CORE_11_a_separate_response_has_the_token_of_the_request() => SeparateResponse("48", "0102030405060708");

    [Fact]
    public void CORE_12_a_request_with_an_empty_token_is_answered_without_a_token() =>
        Exchange("40 01 aa12 b4 'test'", $"60 45 aa12 c0 ff {TestResource}");

    [Fact]
    public void CORE_13_a_path_of_several_segments_is_routed_to_its_resource() =>
        Exchange("40 01 72e5 b4 'seg1' 04 'seg2' 04 'seg3'", "60 45 72e5 c0 ff 'Long path resource /seg1/seg2/seg3'");

    [Fact]
    public void CORE_14_several_query_arguments_reach_the_resource() =>
        Exchange("40 01 d825 b5 'query' 47 'first=1' 08 'second=2' 07 'third=3'", "60 45 d825 c0 ff 'Query: first=1&second=2&third=3'");

    [Fact]
    public void CORE_15_a_repeated_POST_gets_the_same_response_and_is_executed_once()
    {
        const string Post = "41 02 aa15 62 b4 'test' 10 ff 'x'";
        Network.DropNext(1, from: s_server);
        Client.Send(Post);
        Client.ExpectNothingFor(FromSeconds(2));
        Exchange(Post, "61 41 aa15 62 89 'location1' 09 'location2' 09 'location3'");
        Assert.Equal(1, Executed);
    }

    [Fact]
    public void CORE_16_a_separate_response_is_retransmitted_until_it_is_acknowledged()
    {
        // The acknowledgement is lost, the request comes again.
        SynchronizationContext.SetSynchronizationContext(null);
        Network.DropNext(1, from: s_server);
        Client.Send("41 01 6466 62 b8 'separate'");
        Client.ExpectNothingFor(FromSeconds(2));
        Exchange("41 01 6466 62 b8 'separate'", "60 00 6466");

        // The response is lost, and then what acknowledges it: it comes three times.
        Network.DropNext(1, from: s_server);
        ReceivedDatagram second = Client.ExpectWithin("41 45 <mid:2> 62 c0 ff 'That took some time.'", FromSeconds(4.1));
        Network.DropNext(1, from: s_client);
        Client.Acknowledge(second);
        ReceivedDatagram third = Client.ExpectWithin("41 45 <mid> 62 c0 ff 'That took some time.'", FromSeconds(6.1));
        Client.Acknowledge(third);
        Client.ExpectNothingFor(FromMinutes(2));
        Assert.Equal(1, Executed);
    }

    [Fact]
    public void CORE_17_a_slow_Non_confirmable_GET_gets_a_Non_confirmable_response()
    {
        SynchronizationContext.SetSynchronizationContext(null);
        Client.Send("51 01 7987 62 b8 'separate'");
        Client.ExpectNothingFor(FromSeconds(3));
        Client.ExpectWithin("51 45 ???? 62 c0 ff 'That took some time.'", FromMilliseconds(100));
        Client.ExpectNothingFor(FromMinutes(2));
    }

    [Fact]
    public void CORE_18_the_response_to_a_POST_has_the_location_path_of_the_created_resource() =>
        Exchange("40 02 acf5 b4 'test' 10 ff 'An arbitrary payload'", "60 41 acf5 89 'location1' 09 'location2' 09 'location3'");

    [Fact]
    public void CORE_19_the_response_to_a_POST_has_the_location_query_of_the_created_resource() =>
        Exchange("40 02 383c bd01 'location-query' 10", "60 41 383c d707 'first=1' 08 'second=2'");

    [Fact]
    public void CORE_20_the_response_has_the_Content_Format_that_Accept_requests()
    {
        Exchange("40 01 97e9 bc 'multi-format' 60", "60 45 97e9 c0 ff 'hello'");
        Exchange("40 01 97ea bc 'multi-format' 61 29", "60 45 97ea c1 29 ff '<msg text=\"hello\"/>'");
        Exchange("40 01 97eb bc 'multi-format' 61 3c", "60 86 97eb");
    }

    [Fact]
    public void CORE_21_a_request_with_the_current_ETag_gets_2_03_and_one_with_an_old_ETag_the_representation()
    {
        Exchange("40 01 6545 b8 'validate'", "60 45 6545 48 <etag1:8> 80 ff 'A representation to validate.'");
        Exchange("40 01 6546 48 <etag1> 78 'validate'", "60 43 6546 48 <etag1>");
        Exchange("40 03 6547 b8 'validate' 10 ff 'second'", "60 44 6547");
        Exchange("40 01 6548 48 <etag1> 78 'validate'", "60 45 6548 48 <etag2:8> 80 ff 'second'");
        Assert.NotEqual(Client.Remembered["etag1"], Client.Remembered["etag2"]);
    }

    [Fact]
    public void CORE_22_a_PUT_with_the_ETag_of_an_old_representation_in_If_Match_gets_4_12()
    {
        Exchange("40 01 0001 b8 'validate'", "60 45 0001 48 <etag1:8> 80 ff 'A representation to validate.'");
        Exchange("40 03 0002 18 <etag1> a8 'validate' 10 ff 'second'", "60 44 0002");
        Exchange("40 01 0003 b8 'validate'", "60 45 0003 48 <etag2:8> 80 ff 'second'");
        Exchange("40 03 0004 b8 'validate' 10 ff 'of somebody else'", "60 44 0004");
        Exchange("40 03 0005 18 <etag2> a8 'validate' 10 ff 'lost'", "60 8c 0005");
        Exchange("40 01 0006 b8 'validate'", "60 45 0006 48 <etag3:8> 80 ff 'of somebody else'");
    }

    [Fact]
    public void CORE_23_a_PUT_with_If_None_Match_creates_the_resource_and_a_second_one_gets_4_12()
    {
        Exchange("40 03 95ac 50 67 'create1' 10 ff 'Arbitrary value'", "60 41 95ac");
        Exchange("40 03 95ad 50 67 'create1' 10 ff 'Another value'", "60 8c 95ad");
        Exchange("40 01 95ae b7 'create1'", "60 45 95ae c0 ff 'Arbitrary value'");
    }

    [Fact]
    public void CORE_31_a_ping_is_answered_by_a_Reset() => Exchange("40 00 e6d9", "70 00 e6d9");

    private void SeparateResponse(string head, string token)
    {
        SynchronizationContext.SetSynchronizationContext(null);
        Client.Send($"{head} 01 6466 {token} b8 'separate'");
        Client.ExpectWithin("60 00 6466", FromSeconds(1));
        ReceivedDatagram response = Client.ExpectWithin($"{head} 45 ???? {token} c0 ff 'That took some time.'", FromSeconds(3));
        Client.Acknowledge(response);
        Client.ExpectNothingFor(FromMinutes(2));
    }
}
